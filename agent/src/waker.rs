//! Wakes the socket thread from any other thread.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};

/// The waking end. It has no descriptor while the socket thread does not run.
#[derive(Clone, Debug, Default)]
pub struct Waker(Arc<Mutex<Option<UnixStream>>>);

/// The waiting end.
#[derive(Debug)]
pub struct Sleeper(UnixStream);

impl Waker {
    /// Opens both ends; this one serves all clones.
    ///
    /// # Errors
    /// When the process has no descriptor left.
    pub fn open(&self) -> io::Result<Sleeper> {
        let (wakes, woken) = UnixStream::pair()?;
        wakes.set_nonblocking(true)?;
        woken.set_nonblocking(true)?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(wakes);
        Ok(Sleeper(woken))
    }

    /// Closes the descriptor of all clones.
    pub fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Ends the current or the next wait. Never blocks for long: the lock is held for one call of the system.
    /// If the pipe is full, the reader is already being woken.
    pub fn wake(&self) {
        if let Some(stream) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = stream.write(&[1]);
        }
    }
}

impl Sleeper {
    /// The descriptor that becomes readable.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// Forgets the wakes so far.
    pub fn rest(&self) {
        let mut bytes = [0; 64];
        while matches!((&self.0).read(&mut bytes), Ok(n) if n > 0) {}
    }
}
