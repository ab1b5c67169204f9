//! Folders that only this user can open, each with the socket of one controller. A killed controller leaves
//! its folder behind; the next controller removes it.

use rustix::fs::{AtFlags, CWD, Dir, FlockOperation, Mode, OFlags, flock, fstat, openat, unlinkat};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempDir;

/// The socket in a folder.
pub const SOCKET: &str = "spl.sock";
/// Lock that the controller that made the folder holds until it ends.
const LOCK: &str = "lock";
/// Prefix of the folders' names. Folders of a user's tokens have it too, but hold other files.
const PREFIX: &str = "spl-";
const MODE: u32 = 0o700;
/// Attempts to make a folder: another controller may remove it in the moment between its creation and its
/// lock.
const ATTEMPTS: usize = 3;

/// A folder of this process, removed when it is dropped.
#[derive(Debug)]
pub struct PrivateFolder {
    folder: TempDir,
    _lock: File,
}

impl PrivateFolder {
    /// Makes a folder, and removes the folders of dead controllers.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn make(base: &Path) -> io::Result<Self> {
        sweep(base);
        let mut last = None;
        for _ in 0..ATTEMPTS {
            match Self::attempt(base) {
                Ok(made) => return Ok(made),
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| io::ErrorKind::NotFound.into()))
    }

    fn attempt(base: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        let folder = builder.prefix(PREFIX).permissions(Permissions::from_mode(MODE)).tempdir_in(base)?;
        let lock = File::create_new(folder.path().join(LOCK))?;
        lock.try_lock().map_err(io::Error::from)?;
        Ok(Self { folder, _lock: lock })
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders of dead controllers. Folders that cannot be removed stay; they do no harm.
fn sweep(base: &Path) {
    let Ok(entries) = fs::read_dir(base) else { return };
    let Ok(base_fd) = openat(CWD, base, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name.as_bytes().starts_with(PREFIX.as_bytes()) {
            // Folders that are not ours, or are in use, stay.
            let _ = remove_if_left(base, &base_fd, &name);
        }
    }
}

/// Removes a folder of this user that holds only our files and whose controller is dead. Every step uses the
/// folder's descriptor and follows no links, so that nothing else can take its place meanwhile.
fn remove_if_left(base: &Path, base_fd: &OwnedFd, name: &OsStr) -> io::Result<()> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = openat(base_fd, name, flags, Mode::empty())?;
    let found = fstat(&folder)?;
    if found.st_uid != rustix::process::geteuid().as_raw() || found.st_mode & 0o7777 != MODE {
        return Ok(());
    }
    let (mut has_socket, mut has_lock) = (false, false);
    for entry in Dir::read_from(&folder)? {
        match entry?.file_name().to_bytes() {
            b"." | b".." => {}
            name if name == SOCKET.as_bytes() => has_socket = true,
            name if name == LOCK.as_bytes() => has_lock = true,
            _ => return Ok(()),
        }
    }
    if has_lock {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let lock = openat(&folder, LOCK, flags, Mode::empty())?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        // The lock is held until the folder is gone.
        remove(base_fd, name, &folder, has_socket, has_lock)
    } else if has_socket && nobody_listens(&base.join(name).join(SOCKET)) {
        // A folder of a version without locks.
        remove(base_fd, name, &folder, has_socket, has_lock)
    } else {
        // The folder may be in the making.
        Ok(())
    }
}

fn remove(
    base: &OwnedFd,
    name: &OsStr,
    folder: &OwnedFd,
    has_socket: bool,
    has_lock: bool,
) -> io::Result<()> {
    for (file, is_there) in [(SOCKET, has_socket), (LOCK, has_lock)] {
        if is_there {
            unlinkat(folder, file, AtFlags::empty())?;
        }
    }
    Ok(unlinkat(base, name, AtFlags::REMOVEDIR)?)
}

/// Whether no process listens at a socket. A process with a full queue of connections listens; waiting for a place in
/// its queue could take without end.
fn nobody_listens(socket: &Path) -> bool {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let connected = SocketAddrUnix::new(socket).and_then(|address| {
        connect(&socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?, &address)
    });
    connected == Err(Errno::CONNREFUSED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::{bind, listen};
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::time::{Duration, Instant};

    fn folder(base: &Path, name: &str, files: &[&str]) {
        fs::create_dir(base.join(name)).unwrap();
        fs::set_permissions(base.join(name), Permissions::from_mode(MODE)).unwrap();
        for file in files {
            fs::write(base.join(name).join(file), "").unwrap();
        }
    }

    fn names(base: &Path) -> Vec<String> {
        let names =
            fs::read_dir(base).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names = names.collect::<Vec<_>>();
        names.sort();
        names
    }

    #[test]
    fn what_the_dead_have_left_is_taken_away() {
        let base = tempfile::tempdir().unwrap();
        folder(base.path(), "spl-locked", &[LOCK, SOCKET]);
        folder(base.path(), "spl-begun", &[LOCK]);
        folder(base.path(), "spl-older", &[]);
        drop(UnixListener::bind(base.path().join("spl-older").join(SOCKET)).unwrap());
        let made = PrivateFolder::make(base.path()).unwrap();
        let name = made.path().file_name().unwrap().to_str().unwrap();
        assert_eq!(names(base.path()), [name]);
        let next = PrivateFolder::make(base.path()).unwrap();
        assert_eq!(names(base.path()).len(), 2, "that of a living controller stays");
        drop((made, next));
        assert_eq!(names(base.path()), [""; 0]);
    }

    #[test]
    fn what_is_not_ours_stays() {
        let (base, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = base.path();
        folder(path, "spl-0", &["38692.token"]);
        folder(path, "spl-more", &[LOCK, SOCKET, "notes"]);
        folder(path, "spl-empty", &[]);
        folder(path, "other", &[LOCK, SOCKET]);
        folder(path, "spl-open", &[LOCK, SOCKET]);
        fs::set_permissions(path.join("spl-open"), Permissions::from_mode(0o755)).unwrap();
        fs::write(path.join("spl-file"), "").unwrap();
        folder(path, "spl-listens", &[]);
        // The queue of this listener is full.
        let busy = SocketAddrUnix::new(path.join("spl-listens").join(SOCKET)).unwrap();
        let new = || {
            let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
            socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).unwrap()
        };
        let listener = new();
        bind(&listener, &busy).unwrap();
        listen(&listener, 0).unwrap();
        let waiting = std::iter::repeat_with(new).take_while(|socket| connect(socket, &busy).is_ok());
        let _waiting = waiting.collect::<Vec<_>>();
        // A link to a folder that could be ours, and a folder whose lock is a link.
        folder(other.path(), "spl-x", &[LOCK, SOCKET]);
        symlink(other.path().join("spl-x"), path.join("spl-link")).unwrap();
        folder(path, "spl-inner", &[SOCKET]);
        symlink("/dev/null", path.join("spl-inner").join(LOCK)).unwrap();
        let before = names(path);
        let begun = Instant::now();
        drop(PrivateFolder::make(path).unwrap());
        assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
        assert_eq!(names(path), before);
        assert_eq!(names(&other.path().join("spl-x")), [LOCK, SOCKET]);
        assert_eq!(names(&path.join("spl-more")).len(), 3);
    }
}
