//! The live view: what a terminal shows of a running measurement in its lowest rows, while the program writes above them.

mod rows;
mod screen;

use crate::claims::Claim;
use crate::foreground;
use rustix::process::{Signal, getpid, kill_process};
use screen::Screen;
use spl_session::status::Status;
use std::io::{IsTerminal, Stderr, stderr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::signal::unix::{SignalKind, signal};

/// Between two drawings.
const INTERVAL: Duration = Duration::from_millis(250);

/// A view on the terminal of standard error. It is taken away when this is dropped.
#[derive(Debug)]
pub struct Live {
    screen: Arc<Mutex<Screen<Stderr>>>,
    next: Instant,
}

impl Live {
    /// A view, where there is a terminal for it that we are in the foreground of.
    pub fn open() -> Option<Self> {
        let is_dumb = ["", "dumb"].contains(&&*std::env::var("TERM").unwrap_or_default());
        if is_dumb || !stderr().is_terminal() || !foreground::is_ours() {
            return None;
        }
        let screen = Arc::new(Mutex::new(Screen::new(stderr())));
        leave_when_stopped(&screen);
        Some(Self { screen, next: Instant::now() })
    }

    /// Whether it is time to draw again.
    pub fn is_due(&self, now: Instant) -> bool {
        now >= self.next
    }

    /// Shows the measurement as it is now; nothing in the background, where another has the terminal.
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

/// Before Ctrl-Z takes effect the terminal is given back as it was.
fn leave_when_stopped(screen: &Arc<Mutex<Screen<Stderr>>>) {
    let screen = Arc::clone(screen);
    // Without the signal the view stays while we are stopped, which harms nobody.
    let Ok(mut stops) = signal(SignalKind::from_raw(Signal::TSTP.as_raw())) else { return };
    tokio::spawn(async move {
        while stops.recv().await.is_some() {
            locked(&screen).close();
            let _ = kill_process(getpid(), Signal::STOP);
        }
    });
}

/// A screen is whole after each of its calls, also after one that panicked.
fn locked(screen: &Mutex<Screen<Stderr>>) -> MutexGuard<'_, Screen<Stderr>> {
    screen.lock().unwrap_or_else(PoisonError::into_inner)
}
