//! The live view: the lowest rows of a terminal show a running measurement, while the program writes above
//! them.

mod claims;
mod methods;
mod row;
mod rows;
mod screen;

use crate::ending::Row as Claim;
use crate::foreground;
use rustix::process::{Signal, getpid, kill_process};
use screen::Screen;
use spl_session::status::Status;
use std::io::{IsTerminal, Stderr, stderr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::signal::unix::{SignalKind, signal};

/// Interval between two drawings.
const INTERVAL: Duration = Duration::from_millis(250);

/// A view on the terminal of standard error, removed when it is dropped.
#[derive(Debug)]
pub struct Live {
    screen: Arc<Mutex<Screen<Stderr>>>,
    next: Instant,
}

impl Live {
    /// A view, if standard error is a terminal in whose foreground this process runs.
    pub fn open() -> Option<Self> {
        let is_dumb = ["", "dumb"].contains(&&*std::env::var("TERM").unwrap_or_default());
        if is_dumb || !stderr().is_terminal() || !foreground::is_ours() {
            return None;
        }
        let screen = Arc::new(Mutex::new(Screen::new(stderr())));
        leave_when_stopped(&screen);
        Some(Self { screen, next: Instant::now() })
    }

    /// Whether the next drawing is due.
    pub fn is_due(&self, now: Instant) -> bool {
        now >= self.next
    }

    /// Shows the present measurement; nothing in the background, where another process has the terminal.
    pub fn draw(&mut self, status: &Status, claims: &[Claim]) {
        self.next = Instant::now() + INTERVAL;
        let size = if foreground::is_ours() { crossterm::terminal::size().ok() } else { None };
        let mut screen = locked(&self.screen);
        match size {
            Some((columns, lines)) => {
                screen.draw(columns, lines, &rows::rows(status, claims, columns, lines))
            }
            None => screen.close(),
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        locked(&self.screen).close();
    }
}

/// Restores the terminal before Ctrl-Z takes effect.
fn leave_when_stopped(screen: &Arc<Mutex<Screen<Stderr>>>) {
    let screen = Arc::clone(screen);
    // Without the signal the view stays while we are stopped, which does no harm.
    let Ok(mut stops) = signal(SignalKind::from_raw(Signal::TSTP.as_raw())) else { return };
    tokio::spawn(async move {
        while stops.recv().await.is_some() {
            locked(&screen).close();
            let _ = kill_process(getpid(), Signal::STOP);
        }
    });
}

/// The locked screen, even after a panic: a screen is consistent after each of its calls.
fn locked(screen: &Mutex<Screen<Stderr>>) -> MutexGuard<'_, Screen<Stderr>> {
    screen.lock().unwrap_or_else(PoisonError::into_inner)
}
