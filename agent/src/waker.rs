//! Wakes the socket thread from any other thread.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

/// The waking end.
#[derive(Clone, Debug)]
pub struct Waker(Arc<UnixStream>);

/// The waiting end.
#[derive(Debug)]
pub struct Sleeper(UnixStream);

/// Creates both ends.
///
/// # Errors
/// When the process has no descriptor left.
pub fn pair() -> io::Result<(Waker, Sleeper)> {
    let (wakes, woken) = UnixStream::pair()?;
    wakes.set_nonblocking(true)?;
    woken.set_nonblocking(true)?;
    Ok((Waker(Arc::new(wakes)), Sleeper(woken)))
}

impl Waker {
    /// Ends the current or the next wait. Never blocks. If the pipe is full, the reader is already being
    /// woken.
    pub fn wake(&self) {
        let _ = (&*self.0).write(&[1]);
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
