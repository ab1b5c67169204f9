//! The connection to the controller: a Unix socket, or TCP to this machine.

use crate::options::Options;
use crate::sys;
use spl_wire::{Decoder, Encoder, Opening, OpeningError, Step, ToAgent, ToController, Token};
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// Write timeout; a controller that reads nothing for this long counts as gone.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);
/// Most bytes of a token file.
const LONGEST_TOKEN: u64 = 4096;
/// Time limit of the opening; a peer that has not identified itself by then is not a controller.
const GREETING_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection to a controller of our version that, at a port, has proved our token.
#[derive(Debug)]
pub struct Stream {
    socket: Socket,
    encoder: Encoder,
    decoder: Decoder,
    out: Vec<u8>,
    /// The shared token, at a port.
    token: Option<Token>,
}

#[derive(Debug)]
enum Socket {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Stream {
    /// Connects and exchanges versions. At a port both sides also prove the token; a Unix socket belongs to
    /// the user.
    ///
    /// # Errors
    /// When no controller answers, its version differs, or it does not prove the token.
    pub fn connect(options: &Options) -> io::Result<Self> {
        let socket = match &options.socket {
            Some(path) => Socket::Unix(sys::connect(path, GREETING_TIMEOUT)?),
            None => {
                let address = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
                let tcp = TcpStream::connect_timeout(&address, GREETING_TIMEOUT)?;
                if tcp.local_addr()? == tcp.peer_addr()? {
                    // A port that the kernel gives to outgoing connections can be connected to itself.
                    return Err(ErrorKind::ConnectionRefused.into());
                }
                tcp.set_nodelay(true)?;
                Socket::Tcp(tcp)
            }
        };
        let until = Instant::now() + GREETING_TIMEOUT;
        let mut stream = Self {
            socket,
            encoder: Encoder::default(),
            decoder: Decoder::default(),
            out: Vec::new(),
            token: None,
        };
        let opening = match &options.socket {
            Some(_) => Opening::agent_at_socket(),
            None => Opening::agent_at_port(std::process::id(), sys::random()?),
        };
        stream.open(opening, options, until)?;
        stream.socket.timeouts(None)?;
        Ok(stream)
    }

    /// A stream without an opening.
    #[cfg(test)]
    pub fn over(socket: UnixStream) -> Self {
        let socket = Socket::Unix(socket);
        Self {
            socket,
            encoder: Encoder::default(),
            decoder: Decoder::default(),
            out: Vec::new(),
            token: None,
        }
    }

    /// Runs the steps of the opening until this deadline. The token comes from the options' file; the bytes
    /// after the opening go to the decoder.
    fn open(&mut self, mut opening: Opening, options: &Options, until: Instant) -> io::Result<()> {
        let mut known = None;
        loop {
            match opening.next() {
                Ok(Step::Send(bytes)) => self.socket.write_all(&bytes)?,
                Ok(Step::Receive) => opening.push(self.read_until(&mut [0; 512], until)?),
                Ok(Step::Token) => {
                    known = token(options);
                    opening.know(known.as_ref());
                }
                Ok(Step::Open { rest }) => {
                    self.token = known;
                    self.decoder.push(&rest);
                    return Ok(());
                }
                Err(OpeningError::Unbelieved) => return Err(ErrorKind::PermissionDenied.into()),
                Err(error) => return Err(io::Error::other(error)),
            }
        }
    }

    /// Waits for bytes until this deadline; the result is empty when a signal interrupted the call.
    fn read_until<'a>(&mut self, chunk: &'a mut [u8], until: Instant) -> io::Result<&'a [u8]> {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        self.socket.timeouts(Some(left))?;
        match self.socket.read(chunk) {
            Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
            Ok(n) => Ok(&chunk[..n]),
            // The call is interrupted when a stopped process continues; the caller tries again.
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(&[]),
            Err(error) => Err(error),
        }
    }

    /// The controller's token, at a port.
    pub fn token(&self) -> Option<&Token> {
        self.token.as_ref()
    }

    /// The descriptor that becomes readable when the controller sends something.
    pub fn fd(&self) -> BorrowedFd<'_> {
        match &self.socket {
            Socket::Unix(socket) => socket.as_fd(),
            Socket::Tcp(socket) => socket.as_fd(),
        }
    }

    /// Reads the bytes that have arrived. Call it when [`fd`](Self::fd) is readable.
    ///
    /// # Errors
    /// When the connection is over.
    pub fn receive(&mut self) -> io::Result<()> {
        let mut chunk = [0; 16 * 1024];
        match self.socket.read(&mut chunk) {
            Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
            Ok(n) => {
                self.decoder.push(&chunk[..n]);
                Ok(())
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => Ok(()),
            Err(e) => Err(e),
        }
    }

    /// The next complete message.
    ///
    /// # Errors
    /// When the bytes are not a message.
    pub fn next(&mut self) -> io::Result<Option<ToAgent>> {
        self.decoder.next().map_err(io::Error::other)
    }

    /// Queues a message; a message too large for a frame is dropped.
    pub fn put(&mut self, message: &ToController) {
        let _ = self.encoder.encode(message, &mut self.out);
    }

    /// Sends the queued messages.
    ///
    /// # Errors
    /// When the connection is over, or the controller reads nothing.
    pub fn flush(&mut self) -> io::Result<()> {
        let result = self.socket.write_all(&self.out);
        self.out.clear();
        result
    }
}

/// The token in the token file now.
pub fn token(options: &Options) -> Option<Token> {
    let text = token_text(options.token_file.as_ref()?).ok()?;
    Token::new(&text)
}

/// The content of a token file, up to `LONGEST_TOKEN` bytes. Only a regular file is read: a pipe would block,
/// and a device would fill the memory.
fn token_text(path: impl AsRef<Path>) -> io::Result<String> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(ErrorKind::InvalidInput.into());
    }
    let mut text = String::new();
    file.take(LONGEST_TOKEN).read_to_string(&mut text)?;
    Ok(text)
}

impl Socket {
    fn timeouts(&self, read: Option<Duration>) -> io::Result<()> {
        match self {
            Self::Unix(socket) => {
                socket.set_read_timeout(read)?;
                socket.set_write_timeout(Some(WRITE_TIMEOUT))
            }
            Self::Tcp(socket) => {
                socket.set_read_timeout(read)?;
                socket.set_write_timeout(Some(WRITE_TIMEOUT))
            }
        }
    }

    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Unix(socket) => socket.read(bytes),
            Self::Tcp(socket) => socket.read(bytes),
        }
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Unix(socket) => socket.write_all(bytes),
            Self::Tcp(socket) => socket.write_all(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_from_files_only() {
        let name = format!("spl-token-file-{}-{}", std::process::id(), sys::now_ns());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, "secret\n").unwrap();
        assert_eq!(token_text(&path).unwrap(), "secret\n");
        std::fs::write(&path, "x".repeat(1 << 20)).unwrap();
        assert_eq!(token_text(&path).unwrap().len() as u64, LONGEST_TOKEN);
        std::fs::remove_file(&path).unwrap();
        let bytes = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
        // SAFETY: a string that ends with a null byte.
        assert_eq!(unsafe { libc::mkfifo(bytes.as_ptr(), 0o600) }, 0);
        assert!(token_text(&path).is_err(), "a pipe that nobody writes to");
        std::fs::remove_file(&path).unwrap();
        assert!(token_text("/dev/zero").is_err() && token_text("/").is_err());
    }
    use spl_wire::{AGENT_PROOF_BYTES, AgentProof, Greeting, NONCE_BYTES};
    use std::thread::JoinHandle;

    const SOON: Duration = Duration::from_secs(5);

    /// Outcome of the controller's side, and the bytes that the agent sent.
    type Heard = (Result<(), OpeningError>, Vec<u8>);

    /// A controller with this token at the other end.
    fn controller(token: &str) -> (UnixStream, JoinHandle<Heard>) {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let mut opening = Opening::controller_at_port(Token::new(token).unwrap(), [7; NONCE_BYTES]);
        let controller = std::thread::spawn(move || {
            let (mut heard, mut chunk) = (Vec::new(), [0; 64]);
            loop {
                match opening.next() {
                    // In two pieces, the second together with any bytes after it.
                    Ok(Step::Send(bytes)) => {
                        theirs.write_all(&bytes[..10]).unwrap();
                        theirs.write_all(&bytes[10..]).unwrap();
                    }
                    Ok(Step::Receive) => {
                        let n = theirs.read(&mut chunk).unwrap();
                        heard.extend_from_slice(&chunk[..n]);
                        opening.push(&chunk[..n]);
                    }
                    Ok(Step::Token) => unreachable!("a controller has one"),
                    Ok(Step::Open { .. }) => return (Ok(()), heard),
                    Err(error) => return (Err(error), heard),
                }
            }
        });
        (ours, controller)
    }

    fn at_port() -> Opening {
        Opening::agent_at_port(std::process::id(), [5; NONCE_BYTES])
    }

    #[test]
    fn only_a_controller_that_shows_the_token_is_shown_it() {
        let file = std::env::temp_dir().join(format!("spl-token-{}-{}", std::process::id(), sys::now_ns()));
        std::fs::write(&file, "secret\n").unwrap();
        let (options, _) = Options::read(&format!("spl.client.token-file={}", file.display()), |_| None);
        for (token, known) in [("secret", true), ("secre", false)] {
            let (ours, controller) = controller(token);
            let mut stream = Stream::over(ours);
            let opened = stream.open(at_port(), &options, Instant::now() + SOON);
            let (believed, heard) = controller.join().unwrap();
            assert_eq!((opened.is_ok(), believed.is_ok()), (known, known));
            assert_eq!(
                opened.err().map(|error| error.kind()),
                (!known).then_some(ErrorKind::PermissionDenied)
            );
            let said = AgentProof::from_bytes(heard.last_chunk().unwrap());
            assert_eq!((said.pid, said.proof.is_some()), (std::process::id(), known));
        }
        std::fs::remove_file(file).unwrap();
    }

    #[test]
    fn who_has_no_token_shows_none() {
        let (options, _) = Options::read("spl.client.token-file=/nowhere", |_| None);
        let (ours, controller) = controller("secret");
        let opened = Stream::over(ours).open(at_port(), &options, Instant::now() + SOON);
        assert_eq!(opened.unwrap_err().kind(), ErrorKind::PermissionDenied);
        let (believed, heard) = controller.join().unwrap();
        assert_eq!(believed, Err(OpeningError::Unproved { pid: std::process::id() }));
        assert_eq!(heard[heard.len() - AGENT_PROOF_BYTES + 4..], [0; 32], "an answer to nobody");
    }

    #[test]
    fn slow_bytes_do_not_hold_the_agent() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let slow = std::thread::spawn(move || {
            let mut reply = Vec::new();
            Greeting::ours().reply_to(&Greeting::ours()).encode(&mut reply);
            // Each byte is in time, but all together are too late. The loop ends when the agent has closed
            // the connection.
            for byte in reply.iter().cycle() {
                if theirs.write_all(&[*byte]).is_err() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let (options, _) = Options::read("spl.client.token-file=/nowhere", |_| None);
        let mut stream = Stream::over(ours);
        let begun = Instant::now();
        let until = begun + Duration::from_millis(100);
        let failed = stream.open(at_port(), &options, until).unwrap_err();
        assert!(matches!(failed.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock), "{failed}");
        assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
        drop(stream);
        slow.join().unwrap();
    }
}
