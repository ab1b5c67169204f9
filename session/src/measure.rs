//! The loop around a session: inputs in, cycles on time.

use crate::agents::Input;
use crate::session::{Next, Session};
use std::collections::VecDeque;
use std::fs::{self, File};
use std::future::Future;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{self, Receiver, Sender};

/// Most inputs that may wait for the session; a slow session slows the agents' sending, not their programs.
const WAITING_INPUTS: usize = 64;

/// File in which the kernel lists the signals that this process ignores (proc(5)).
const OWN_STATUS: &str = "/proc/self/status";

/// Kind of the operator's request to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupt {
    /// By Ctrl-C, or the signal that it sends.
    Key,
    /// By a signal that asks a process to end, as when its terminal has gone.
    Termination,
}

/// Reason why a loop returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returned {
    /// The measurement is over.
    Over,
    /// The operator wants tasks and settings to be read again; the measurement is as it was.
    Reload,
}

/// Inputs of the loop.
#[derive(Debug)]
pub struct Inputs {
    sender: Sender<Input>,
    waiting: Receiver<Input>,
    /// Inputs that were taken and belong to the next session.
    back: VecDeque<Input>,
    interrupts: Receiver<Interrupt>,
    /// An interrupt that was seen and not taken.
    pending: Option<Interrupt>,
}

impl Inputs {
    /// No input yet; the process's interrupts are watched from now on.
    ///
    /// # Errors
    /// When signals cannot be watched.
    pub fn new() -> Result<Self, String> {
        let (sender, waiting) = mpsc::channel(WAITING_INPUTS);
        let interrupts = watch_signals(&sender)?;
        Ok(Self { sender, waiting, back: VecDeque::new(), interrupts, pending: None })
    }

    /// A sender for sources of inputs.
    pub fn sender(&self) -> Sender<Input> {
        self.sender.clone()
    }

    /// The next input.
    pub async fn next(&mut self) -> Input {
        if let Some(input) = self.back.pop_front() {
            return input;
        }
        // There is always a sender: `self` has one in addition to the receiver.
        self.waiting.recv().await.unwrap_or(Input::Interrupted)
    }

    /// Puts inputs back, before all others, in their order.
    pub fn put_back(&mut self, inputs: impl DoubleEndedIterator<Item = Input>) {
        inputs.rev().for_each(|input| self.back.push_front(input));
    }

    fn is_empty(&self) -> bool {
        self.back.is_empty() && self.waiting.is_empty()
    }

    /// Waits for an interrupt; returns at once if one is pending. `None` if signals cannot arrive any more.
    pub async fn interrupted(&mut self) -> Option<Interrupt> {
        match self.pending.take() {
            Some(interrupt) => Some(interrupt),
            None => self.interrupts.recv().await,
        }
    }

    /// Waits for an interrupt after the session. `reload` gets each request to read tasks and settings again; other
    /// inputs are discarded.
    pub async fn interrupted_after(&mut self, reload: impl Fn()) -> Option<Interrupt> {
        loop {
            if let Some(interrupt) = self.pending.take() {
                return Some(interrupt);
            }
            tokio::select! {
                interrupt = self.interrupts.recv() => return interrupt,
                Some(input) = self.waiting.recv() => if matches!(input, Input::Reload) { reload() },
            }
        }
    }

    /// Whether an interrupt is pending; it stays.
    pub fn is_interrupted(&mut self) -> bool {
        self.pending = self.pending.take().or_else(|| self.interrupts.try_recv().ok());
        self.pending.is_some()
    }

    /// Whether an interrupt is pending; takes it.
    pub fn was_interrupted(&mut self) -> bool {
        let is_pending = self.is_interrupted();
        self.pending = None;
        is_pending
    }
}

/// Sends signals to the session as inputs, and to the receiver for the time after the session.
fn watch_signals(inputs: &Sender<Input>) -> Result<Receiver<Interrupt>, String> {
    let (count, counted) = mpsc::channel(8);
    let mut watched =
        vec![(SignalKind::interrupt(), Interrupt::Key), (SignalKind::terminate(), Interrupt::Termination)];
    // Once a signal is watched, `nohup` would have no effect, for the program either.
    if !ignores_hangup() {
        watched.push((SignalKind::hangup(), Interrupt::Termination));
    }
    let had_terminal = has_terminal();
    for (kind, interrupt) in watched {
        let mut signals = signal(kind).map_err(|e| format!("cannot watch for signals: {e}"))?;
        let (inputs, count) = (inputs.clone(), count.clone());
        tokio::spawn(async move {
            // Some inputs are those of a part of the process's work, and end before the process.
            while let Some(()) =
                tokio::select! { came = signals.recv() => came, () = inputs.closed() => None }
            {
                // The same signal tells that the terminal has gone, and asks a service to read its files again.
                if kind == SignalKind::hangup() && had_terminal == has_terminal() {
                    let _ = inputs.send(Input::Reload).await;
                    continue;
                }
                // The session may be over, or 8 interrupts may be waiting already.
                let _ = count.try_send(interrupt);
                let _ = inputs.send(Input::Interrupted).await;
            }
        });
    }
    Ok(counted)
}

/// Whether this process has a controlling terminal. The kernel takes it away before it sends the signal of its end
/// (tty(4)).
fn has_terminal() -> bool {
    File::open("/dev/tty").is_ok()
}

/// Whether this process was started with SIGHUP ignored. False where that cannot be found out.
fn ignores_hangup() -> bool {
    let status = fs::read_to_string(OWN_STATUS).unwrap_or_default();
    let mask =
        status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    mask.is_none_or(|mask| mask >> (SignalKind::hangup().as_raw_value() - 1) & 1 == 1)
}

/// The one loop that owns the session, until the measurement is over or tasks and settings are to be read again.
pub async fn drive(session: &mut Session<'_>, inputs: &mut Inputs) -> Returned {
    loop {
        let next = tokio::select! {
            biased;
            input = inputs.next() => session.input(input),
            () = tokio::time::sleep_until(session.next_idle().into()) => session.idle(),
        };
        if inputs.is_empty() {
            session.caught_up();
        }
        if next == Next::Reload {
            return Returned::Reload;
        }
        // Cycles go on even if inputs are always waiting.
        if next == Next::Over || session.cycle() == Next::Over {
            session.close();
            return Returned::Over;
        }
    }
}

/// Runs a command's work on this thread.
///
/// # Errors
/// Errors of the work, or a failure to start the event loop.
pub fn in_event_loop<T>(work: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    event_loop()?.block_on(work)
}

/// An event loop for work on this thread.
///
/// # Errors
/// When it cannot be started; one line of text.
pub fn event_loop() -> Result<Runtime, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|e| format!("cannot start the event loop: {e}"))
}
