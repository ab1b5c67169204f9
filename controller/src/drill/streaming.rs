//! A trace as one stream: to a file, a pipe or a socket, in place of files of its threads. Nothing waits for its reader for long.

use flate2::Compression;
use flate2::write::GzEncoder;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use spl_trace::stream::{Record, head};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Longest time in which a reader takes a record, of which the largest are frames of a MiB. After it, it counts as gone.
const PATIENCE: Duration = Duration::from_secs(5);
/// Longest time in which it takes what is left when the drill is over.
const AT_THE_END: Duration = Duration::from_secs(10);
/// Longest wait for somebody to open a pipe or to listen.
const FOR_A_READER: Duration = Duration::from_secs(10);
/// Pause between two looks for one.
const PAUSE: Duration = Duration::from_millis(20);

/// Where a trace goes.
#[derive(Debug)]
pub struct Stream {
    to: String,
    state: Mutex<State>,
    last: Arc<OnceLock<Instant>>,
}

#[derive(Debug)]
struct State {
    out: Out,
    /// The process whose trace it is.
    of: Option<u32>,
    /// Why nothing more is written.
    fault: Option<String>,
    bytes: u64,
}

#[derive(Debug)]
enum Out {
    Plain(Target),
    Packed(Box<GzEncoder<Target>>),
}

/// A file, or the writing end of a pipe or socket that does not wait by itself.
#[derive(Debug)]
struct Target {
    file: File,
    /// The end of its reader's time.
    by: Instant,
    /// The end of all its time, once the drill is over.
    last: Arc<OnceLock<Instant>>,
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.file.write(bytes) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                done => return done,
            }
            let by = self.last.get().map_or(self.by, |last| self.by.min(*last));
            let left = by.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::Error::new(ErrorKind::TimedOut, "its reader is too slow"));
            }
            // Not longer than that: the drill may end meanwhile.
            let pause = Timespec { tv_sec: 0, tv_nsec: left.min(PAUSE).as_nanos() as i64 };
            poll(&mut [PollFd::new(&self.file, PollFlags::OUT)], Some(&pause))?;
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Out {
    fn target(&mut self) -> &mut Target {
        match self {
            Self::Plain(target) => target,
            Self::Packed(packed) => packed.get_mut(),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(target) => target.write_all(bytes),
            Self::Packed(packed) => packed.write_all(bytes),
        }
    }

    /// Passes on what is kept back.
    fn flush(&mut self, is_last: bool) -> io::Result<()> {
        match self {
            Self::Plain(target) => target.flush(),
            Self::Packed(packed) if is_last => packed.try_finish(),
            Self::Packed(packed) => packed.flush(),
        }
    }
}

impl Stream {
    /// Opens a stream to a place that the operator has named: `tcp:127.0.0.1:PORT`, `unix:SOCKET`, a pipe, or a file to make. A name that ends
    /// with .gz is packed by gzip.
    ///
    /// # Errors
    /// When it cannot be opened; one line of text.
    pub fn open(to: &str, replaces: bool) -> Result<Self, String> {
        let file = target(to, replaces).map_err(|why| format!("--stream {to}: {why}"))?;
        let last = Arc::new(OnceLock::new());
        let target = Target { file, by: Instant::now(), last: Arc::clone(&last) };
        let out = match to.ends_with(".gz") {
            true => Out::Packed(Box::new(GzEncoder::new(target, Compression::fast()))),
            false => Out::Plain(target),
        };
        let state = State { out, of: None, fault: None, bytes: 0 };
        let stream = Self { to: to.to_owned(), state: Mutex::new(state), last };
        stream.put(&head(), true)?;
        Ok(stream)
    }

    /// Its place, as the operator has named it.
    pub fn to(&self) -> &str {
        &self.to
    }

    /// Why something of it is missing.
    pub fn fault(&self) -> Option<String> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).fault.clone()
    }

    /// Bytes before packing, so far.
    pub fn bytes(&self) -> u64 {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).bytes
    }

    /// The drill is over: its reader has some seconds for all that is left.
    pub fn hurry(&self) {
        self.last.get_or_init(|| Instant::now() + AT_THE_END);
    }

    /// A process is traced: the stream is of the first one.
    ///
    /// # Errors
    /// When it is of another one; one line of text.
    pub fn begins(&self, pid: u32) -> Result<(), String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match *state.of.get_or_insert(pid) {
            first if first == pid => Ok(()),
            first => Err(format!(
                "--stream {} has the trace of pid {first} and no room for another JVM's: drill without --stream, or name another command",
                self.to
            )),
        }
    }

    /// Writes a class file that has arrived whole, and the lines of its methods.
    ///
    /// # Errors
    /// When it cannot be written; one line of text.
    pub fn class(&self, bytes: &[u8], lines: String) -> Result<(), String> {
        self.put(&Record::Class(bytes.to_vec()).bytes(), false)?;
        self.put(&Record::Methods(lines).bytes(), false)
    }

    /// Writes a frame of a thread.
    ///
    /// # Errors
    /// As of a class.
    pub fn frame(&self, thread: u64, frame: &[u8]) -> Result<(), String> {
        self.put(&Record::Frame { thread, bytes: frame.to_vec() }.bytes(), true)
    }

    /// Writes the table of receivers' classes.
    ///
    /// # Errors
    /// As of a class.
    pub fn receivers(&self, table: String) -> Result<(), String> {
        self.put(&Record::Receivers(table).bytes(), false)
    }

    /// Ends the stream with what the drill says of the trace.
    ///
    /// # Errors
    /// As of a class.
    pub fn end(&self, document: String) -> Result<(), String> {
        self.put(&Record::End(document).bytes(), false)?;
        self.with(|out| out.flush(true))
    }

    fn put(&self, bytes: &[u8], flushes: bool) -> Result<(), String> {
        self.with(|out| {
            out.write(bytes)?;
            if flushes { out.flush(false) } else { Ok(()) }
        })?;
        self.state.lock().unwrap_or_else(PoisonError::into_inner).bytes += bytes.len() as u64;
        Ok(())
    }

    /// Writes something. After an error nothing more is written: a reader could not find the next record.
    fn with(&self, write: impl FnOnce(&mut Out) -> io::Result<()>) -> Result<(), String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.out.target().by = Instant::now() + PATIENCE;
        if state.fault.is_none()
            && let Err(error) = write(&mut state.out)
        {
            let is_gone = matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset);
            let why = if is_gone { "its reader has gone".to_owned() } else { error.to_string() };
            state.fault = Some(format!(
                "cannot write to the stream {}: {why}; the rest of the trace is missing in it",
                self.to
            ));
        }
        state.fault.clone().map_or(Ok(()), Err)
    }
}

fn target(to: &str, replaces: bool) -> Result<File, String> {
    let text = |error: io::Error| error.to_string();
    if to == "-" {
        return Err("the program writes to standard output; name a pipe, made by mkfifo".to_owned());
    }
    if let Some(address) = to.strip_prefix("tcp:") {
        let address: SocketAddr =
            address.parse().map_err(|_| "an address such as tcp:127.0.0.1:9000 is wanted".to_owned())?;
        if !address.ip().is_loopback() {
            return Err("a trace leaves this machine only by other programs, as a tunnel of ssh: name an address of this machine, \
                        as tcp:127.0.0.1:9000"
                .to_owned());
        }
        let socket = until(|| TcpStream::connect_timeout(&address, FOR_A_READER)).map_err(text)?;
        socket.set_nonblocking(true).map_err(text)?;
        return Ok(File::from(OwnedFd::from(socket)));
    }
    if let Some(path) = to.strip_prefix("unix:") {
        return until(|| local(path)).map(File::from).map_err(text);
    }
    match fs::metadata(to) {
        Ok(found) if found.file_type().is_fifo() => {
            let open = || {
                let flags = OFlags::NONBLOCK.bits() as i32;
                File::options().write(true).custom_flags(flags).open(to)
            };
            until(open).map_err(|error| match is_nobody(&error) {
                true => "nobody reads this pipe; begin to read first: spl trace tree PIPE".to_owned(),
                false => text(error),
            })
        }
        Ok(found) if found.file_type().is_socket() => Err(format!("it is a socket; write unix:{to}")),
        Ok(found) if !found.is_file() => Err("it is neither a file nor a pipe".to_owned()),
        Ok(_) if !replaces => Err("it is there already; name another one, or say --replace".to_owned()),
        _ => make(Path::new(to)).map_err(text),
    }
}

/// A file for the user alone: it has class files of the program.
fn make(path: &Path) -> io::Result<File> {
    File::options().write(true).create(true).truncate(true).mode(0o600).open(path)
}

/// Connects to a socket of this machine, without waiting in the kernel for one whose listener takes no more.
fn local(path: &str) -> io::Result<OwnedFd> {
    let address = SocketAddrUnix::new(path)?;
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    connect(&socket, &address)?;
    Ok(socket)
}

/// Opens something once there is a reader.
fn until<T>(open: impl Fn() -> io::Result<T>) -> io::Result<T> {
    let began = Instant::now();
    loop {
        match open() {
            Err(error) if is_nobody(&error) && began.elapsed() < FOR_A_READER => thread::sleep(PAUSE),
            done => return done,
        }
    }
}

/// Whether nobody is there yet.
fn is_nobody(error: &io::Error) -> bool {
    let nobody = [Errno::NXIO, Errno::CONNREFUSED, Errno::AGAIN];
    nobody.iter().any(|one| error.raw_os_error() == Some(one.raw_os_error()))
}
