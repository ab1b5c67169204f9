//! The connection to the controller: a Unix socket, or TCP to this machine.

use crate::options::Options;
use spl_wire::{Decoder, Encoder, Greeting, Reply, ToAgent, ToController};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// A controller that takes nothing for so long is as good as gone.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);
const GREETING_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection after the version exchange.
#[derive(Debug)]
pub struct Stream {
    socket: Socket,
    encoder: Encoder,
    decoder: Decoder,
    out: Vec<u8>,
}

#[derive(Debug)]
enum Socket {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Stream {
    /// Connects and exchanges versions.
    ///
    /// # Errors
    /// When there is no controller, or one of another version.
    pub fn connect(options: &Options) -> io::Result<Self> {
        let socket = match &options.socket {
            Some(path) => Socket::Unix(UnixStream::connect(path)?),
            None => {
                let address = SocketAddr::from((Ipv4Addr::LOCALHOST, options.port));
                let tcp = TcpStream::connect_timeout(&address, GREETING_TIMEOUT)?;
                if tcp.local_addr()? == tcp.peer_addr()? {
                    // A port that the kernel gives to outgoing connections can be connected to itself.
                    return Err(io::ErrorKind::ConnectionRefused.into());
                }
                tcp.set_nodelay(true)?;
                Socket::Tcp(tcp)
            }
        };
        socket.timeouts(Some(GREETING_TIMEOUT))?;
        let mut stream =
            Self { socket, encoder: Encoder::default(), decoder: Decoder::default(), out: Vec::new() };
        stream.greet()?;
        stream.socket.timeouts(None)?;
        Ok(stream)
    }

    /// One whose versions need not be exchanged.
    #[cfg(test)]
    pub fn over(socket: UnixStream) -> Self {
        let socket = Socket::Unix(socket);
        Self { socket, encoder: Encoder::default(), decoder: Decoder::default(), out: Vec::new() }
    }

    fn greet(&mut self) -> io::Result<()> {
        let ours = Greeting::ours();
        ours.encode(&mut self.out);
        self.flush()?;
        let mut bytes = Vec::new();
        loop {
            if let Some((reply, used)) = Reply::decode(&bytes).map_err(io::Error::other)? {
                reply.check(&ours).map_err(io::Error::other)?;
                self.decoder.push(&bytes[used..]);
                return Ok(());
            }
            let mut chunk = [0; 512];
            match self.socket.read(&mut chunk)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                n => bytes.extend_from_slice(&chunk[..n]),
            }
        }
    }

    /// Becomes readable when the controller says something.
    pub fn fd(&self) -> BorrowedFd<'_> {
        match &self.socket {
            Socket::Unix(socket) => socket.as_fd(),
            Socket::Tcp(socket) => socket.as_fd(),
        }
    }

    /// Takes in what has arrived; to be called when [`fd`](Self::fd) is readable.
    ///
    /// # Errors
    /// When the connection is over.
    pub fn receive(&mut self) -> io::Result<()> {
        let mut chunk = [0; 16 * 1024];
        match self.socket.read(&mut chunk) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => {
                self.decoder.push(&chunk[..n]);
                Ok(())
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(e) => Err(e),
        }
    }

    /// The next message that has arrived whole.
    ///
    /// # Errors
    /// When the bytes are no message.
    pub fn next(&mut self) -> io::Result<Option<ToAgent>> {
        self.decoder.next().map_err(io::Error::other)
    }

    /// Queues a message; one that is too large for a frame is left out.
    pub fn put(&mut self, message: &ToController) {
        let _ = self.encoder.encode(message, &mut self.out);
    }

    /// Sends what was queued.
    ///
    /// # Errors
    /// When the connection is over, or the controller takes nothing.
    pub fn flush(&mut self) -> io::Result<()> {
        let result = self.socket.write_all(&self.out);
        self.out.clear();
        result
    }
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
