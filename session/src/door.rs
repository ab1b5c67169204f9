//! Entrances for agents: a Unix socket that only this user can reach, or a port of this machine with a token.

use crate::agents::{self, Input, Stranger};
use crate::files::random;
use crate::owner::Owners;
use crate::private_folder::{PrivateFolder, SOCKET};
use crate::strangers::Strangers;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;
use spl_wire::Token;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, chown};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::mpsc::Sender;

/// The longest path of a Unix socket on Linux (unix(7)), without the final zero.
const LONGEST_SOCKET_PATH: usize = 107;
const TOKEN_BYTES: usize = 32;
/// Pause after a connection failed for want of a descriptor.
const NEXT_TRY: Duration = Duration::from_millis(100);

/// A socket in a folder of its own, which is removed with it.
#[derive(Debug)]
pub struct PrivateSocket {
    folder: PrivateFolder,
    listener: UnixListener,
}

impl PrivateSocket {
    /// Listens in the first usual place that can be used, else in the folder of the results or the current
    /// one.
    ///
    /// # Errors
    /// When no folder can be made or the socket cannot be bound; one line of text.
    pub fn open(results: &Path) -> Result<Self, String> {
        let bases = [
            std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from),
            Some(std::env::temp_dir()),
            Some("/tmp".into()),
            Some("/dev/shm".into()),
            std::path::absolute(results).ok(),
            std::env::current_dir().ok(),
        ];
        Self::open_in(bases.into_iter().flatten())
    }

    /// Listens in the first of these folders that can be used, for an agent of this user and group. Another user than
    /// one's own needs the rights of root.
    ///
    /// # Errors
    /// When no folder can be made, the socket cannot be bound, or it cannot be given to the user; one line of
    /// text.
    pub fn open_for(bases: impl IntoIterator<Item = PathBuf>, owner: (u32, u32)) -> Result<Self, String> {
        let socket = Self::open_in(bases)?;
        if owner.0 != own_uid() {
            for path in [socket.path(), socket.folder.path().to_owned()] {
                chown(&path, Some(owner.0), Some(owner.1))
                    .map_err(|e| format!("cannot give {} to user {}: {e}", path.display(), owner.0))?;
            }
        }
        Ok(socket)
    }

    fn open_in(bases: impl IntoIterator<Item = PathBuf>) -> Result<Self, String> {
        let mut last = io::Error::from(ErrorKind::NotFound);
        for base in bases.into_iter().filter(|base| base.is_absolute()) {
            let made = PrivateFolder::make(&base).and_then(|folder| {
                if !is_usable(folder.path()) {
                    return Err(io::Error::other("the path is too long for a socket, or has a comma"));
                }
                let listener = UnixListener::bind(folder.path().join(SOCKET))?;
                Ok(Self { folder, listener })
            });
            match made {
                Ok(socket) => return Ok(socket),
                Err(error) => last = error,
            }
        }
        Err(format!(
            "cannot make a folder for the agent's socket: {last}; point TMPDIR at a folder with a short path"
        ))
    }

    /// Path of the socket, which agents connect to.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join(SOCKET)
    }

    /// Whether an agent wants to connect within this time. Nothing may accept it meanwhile.
    pub fn is_called(&self, within: Duration) -> bool {
        let within = Timespec::try_from(within).ok();
        let mut listener = [PollFd::new(&self.listener, PollFlags::IN)];
        matches!(retry_on_intr(|| poll(&mut listener, within.as_ref())), Ok(1..))
    }

    /// Serves every agent that connects. Never returns; the folder exists until it is dropped.
    pub async fn accept(self, inputs: Sender<Input>) {
        let mut id = 0;
        loop {
            let Ok((stream, _)) = self.listener.accept().await else {
                tokio::time::sleep(NEXT_TRY).await;
                continue;
            };
            tokio::spawn(agents::serve(stream, id, None, inputs.clone()));
            id += 1;
        }
    }
}

/// Whether a socket in this folder has a path that is short enough, without the comma that would end an agent
/// option.
fn is_usable(folder: &Path) -> bool {
    let bytes = folder.as_os_str().as_encoded_bytes();
    bytes.len() + 1 + SOCKET.len() <= LONGEST_SOCKET_PATH && !bytes.contains(&b',')
}

/// Listens on a port of this machine's loopback interface only: other interfaces would need encryption.
///
/// # Errors
/// When the port is taken; one line of text.
pub async fn listen(port: u16) -> Result<TcpListener, String> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(|error| {
        if error.kind() == ErrorKind::AddrInUse {
            format!(
                "port {port} is taken, perhaps by another controller: end it, or choose another port with --port, \
                 for `spl client` too"
            )
        } else {
            format!("cannot listen on port {port}: {error}")
        }
    })
}

/// Serves every agent that connects to the port and knows the token. Never returns.
pub async fn accept(listener: TcpListener, token: Token, inputs: Sender<Input>) {
    let (strangers, owners) = (Strangers::default(), Owners::open());
    let mut id = 0;
    loop {
        let Ok((stream, peer)) = listener.accept().await else {
            tokio::time::sleep(NEXT_TRY).await;
            continue;
        };
        let is_ours = match (peer, stream.local_addr()) {
            (SocketAddr::V4(peer), Ok(SocketAddr::V4(here))) => owners.is_ours(peer, here),
            _ => false,
        };
        let Some(place) = strangers.admit(is_ours).await else { continue };
        // With Nagle's algorithm small messages would wait for later ones.
        let _ = stream.set_nodelay(true);
        let stranger = Stranger { token: token.clone(), place };
        tokio::spawn(agents::serve(stream, id, Some(stranger), inputs.clone()));
        id += 1;
    }
}

/// Path of a port's token file when no file is named.
///
/// # Errors
/// When the user's own folder for it cannot be made, or is not the user's own.
pub fn default_token_file(port: u16) -> Result<PathBuf, String> {
    let folder = match std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from) {
        Some(base) if base.is_absolute() => base.join("spl"),
        _ => std::env::temp_dir().join(format!("spl-{}", own_uid())),
    };
    let wrong = |e: io::Error| {
        format!(
            "cannot use the folder {} for the token: {e}; name a file with --token-file",
            folder.display()
        )
    };
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(wrong(error)),
        _ => {}
    }
    let found = fs::symlink_metadata(&folder).map_err(wrong)?;
    if !found.is_dir() || found.uid() != own_uid() || found.mode() & 0o077 != 0 {
        return Err(wrong(io::Error::other("it is not a folder that only this user can open")));
    }
    Ok(folder.join(format!("{port}.token")))
}

/// The user that this process runs as.
fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Makes a new token and writes it to a file that only this user can read.
///
/// # Errors
/// When the file cannot be written.
pub fn write_token(path: &Path) -> Result<Token, String> {
    let wrong = |e: io::Error| {
        format!("cannot write the token to {}: {e}; name a file with --token-file", path.display())
    };
    let bytes = random::<TOKEN_BYTES>().map_err(wrong)?;
    let text = bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    // Always a new file: the permissions of an old one, or another user's link, must not decide who can read
    // it.
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(wrong(error)),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(wrong)?;
    writeln!(file, "{text}").map_err(wrong)?;
    Ok(Token::new(&text).expect("it has digits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_socket_is_where_there_is_room_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let (long, comma) = (folder.path().join("l".repeat(100)), folder.path().join("a,b"));
        for made in [&long, &comma] {
            fs::create_dir(made).unwrap();
        }
        // Nothing can be created in the first two, even by root.
        let useless = [PathBuf::from("/proc"), "/dev/null".into(), "relative".into(), long, comma];
        let error = PrivateSocket::open_in(useless.clone()).unwrap_err();
        assert!(error.contains("TMPDIR"), "{error}");
        let socket = PrivateSocket::open_in(useless.into_iter().chain([folder.path().into()])).unwrap();
        assert_eq!(socket.path().parent().unwrap().parent(), Some(folder.path()));
        drop(socket);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "a folder is left behind");
    }
}
