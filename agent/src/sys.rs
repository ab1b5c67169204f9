//! The operating system calls that std doesn't have: monotonic clock, signal mask, waiting for a socket,
//! random bytes, files in memory, environment.

use std::ffi::{CStr, c_char, c_void};
use std::io;
use std::mem::offset_of;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// The JVM's monotonic clock, `System.nanoTime()`: on Linux `CLOCK_MONOTONIC` in nanoseconds (HotSpot,
/// `os::javaTimeNanos`).
pub fn now_ns() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a valid place for the result.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// A class of the boot loader by its name, as a new local reference. Null if no class has this name, or the
/// JVM's library does not export the look-up.
///
/// # Safety
/// `env` must be the calling thread's JNI environment.
pub unsafe fn boot_class(env: *mut c_void, name: &CStr) -> *mut c_void {
    type FindClass = unsafe extern "system" fn(*mut c_void, *const c_char) -> *mut c_void;
    // SAFETY: a string that ends with a null byte.
    let find = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"JVM_FindClassFromBootLoader".as_ptr()) };
    if find.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: the JVM exports it with this signature for its own libraries (jvm.h, JDK 6 to 25).
    let find = unsafe { std::mem::transmute::<*mut c_void, FindClass>(find) };
    // SAFETY: the environment is the calling thread's, by the contract above, and a `CStr` ends with a null
    // byte.
    unsafe { find(env, name.as_ptr()) }
}

/// The options on this process's command line and in the variables that add to them, as of the process's
/// start.
pub fn java_options() -> String {
    const VARIABLES: [&str; 3] = ["JAVA_TOOL_OPTIONS=", "JDK_JAVA_OPTIONS=", "_JAVA_OPTIONS="];
    let read = |path| String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
    let (line, variables) = (read("/proc/self/cmdline"), read("/proc/self/environ"));
    let value = |one| VARIABLES.iter().find_map(|name| str::strip_prefix(one, name));
    let added = variables.split('\0').filter_map(value).collect::<Vec<_>>();
    [&line.replace('\0', " "), &added.join(" ")[..]].join(" ")
}

/// Name of the pod, as Kubernetes gives it where the operator asks for it, or of the host.
pub fn place() -> String {
    const POD: &str = "POD_NAME=";
    let variables = std::fs::read("/proc/self/environ").unwrap_or_default();
    let variables = String::from_utf8_lossy(&variables).into_owned();
    let pod = variables.split('\0').find_map(|one| one.strip_prefix(POD)).filter(|name| !name.is_empty());
    let host = || std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned();
    pod.map(str::to_owned).unwrap_or_else(host)
}

/// A number of the calling thread that no other living thread has, never 0.
pub fn thread() -> u64 {
    // SAFETY: has no preconditions.
    unsafe { libc::pthread_self() as u64 }
}

/// Blocks signals meant for the program in the calling thread, which must be one of the agent's.
///
/// Signals of faults stay unblocked, because the JVM handles them in any of its threads. So does `SIGUSR2`,
/// with which HotSpot suspends a thread.
pub fn block_signals() {
    let mut set = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigfillset` initialises the set.
    unsafe { libc::sigfillset(set.as_mut_ptr()) };
    for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGUSR2] {
        // SAFETY: the set was initialised above.
        unsafe { libc::sigdelset(set.as_mut_ptr(), signal) };
    }
    // SAFETY: the set was initialised above; only this thread's mask changes.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), std::ptr::null_mut()) };
}

/// Waits until one of these is readable, or the time is over; returns which are readable.
pub fn wait_readable<const N: usize>(fds: [BorrowedFd<'_>; N], at_most: Duration) -> [bool; N] {
    let mut polls = fds.map(|fd| libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 });
    let timeout = at_most.as_millis().min(60_000) as libc::c_int;
    // SAFETY: the entries are valid; the descriptors are borrowed, so they stay open.
    unsafe { libc::poll(polls.as_mut_ptr(), N as libc::nfds_t, timeout) };
    polls.map(|poll| poll.revents != 0)
}

/// Connects to a Unix socket. Where the queue of its owner is full, waits at most this long for a place in it; std's
/// own function waits without end.
///
/// # Errors
/// When nobody listens there, there was no place in time, or the path is too long for a socket.
pub fn connect(path: &Path, at_most: Duration) -> io::Result<UnixStream> {
    // SAFETY: an address without pointers, for which zeros are valid.
    let mut address: libc::sockaddr_un = unsafe { std::mem::zeroed() };
    let bytes = path.as_os_str().as_bytes();
    // A null byte ends the path.
    if bytes.len() >= address.sun_path.len() || bytes.contains(&0) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    address.sun_path.iter_mut().zip(bytes).for_each(|(to, byte)| *to = *byte as c_char);
    // SAFETY: has no preconditions.
    let socket = unsafe { libc::socket(libc::AF_UNIX, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0) };
    if socket < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the new descriptor has no other owner.
    let stream = UnixStream::from(unsafe { OwnedFd::from_raw_fd(socket) });
    // Linux applies it to this wait too (unix(7), `SO_SNDTIMEO`).
    stream.set_write_timeout(Some(at_most))?;
    let length = offset_of!(libc::sockaddr_un, sun_path) + bytes.len() + 1;
    // SAFETY: the address is valid for this length.
    let connected = unsafe { libc::connect(socket, (&raw const address).cast(), length as libc::socklen_t) };
    if connected == 0 { Ok(stream) } else { Err(io::Error::last_os_error()) }
}

/// Unpredictable bytes.
///
/// # Errors
/// When the system has no entropy yet, early after its start.
pub fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0_u8; N];
    // glibc has a function for it since 2.25 only; a library that names it is not loaded by older ones.
    // SAFETY: the array has room for `N` bytes.
    let count = unsafe { libc::syscall(libc::SYS_getrandom, bytes.as_mut_ptr(), N, libc::GRND_NONBLOCK) };
    if usize::try_from(count) == Ok(N) { Ok(bytes) } else { Err(io::Error::last_os_error()) }
}

/// A new file in memory (memfd_create(2)) with these flags.
///
/// # Errors
/// When the kernel has no room, or is older than Linux 3.17 and knows no such files.
pub fn memory_file(name: &CStr, flags: libc::c_uint) -> io::Result<OwnedFd> {
    // By its number: glibc has a function for it since 2.27 only.
    // SAFETY: a `CStr` ends with a null byte.
    let fd = unsafe { libc::syscall(libc::SYS_memfd_create, name.as_ptr(), flags) };
    let fd = i32::try_from(fd).ok().filter(|fd| *fd >= 0).ok_or_else(io::Error::last_os_error)?;
    // SAFETY: the descriptor was just opened, and nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Restores the value of `JAVA_TOOL_OPTIONS` from before `spl run` added the agent to it, so that neither the
/// program nor its children see a difference.
///
/// # Safety
/// No other thread may use the environment: to be called in `Agent_OnLoad` only.
pub unsafe fn restore_tool_options() {
    const BEFORE: &str = "SPL_JAVA_TOOL_OPTIONS_BEFORE";
    const OPTIONS: &str = "JAVA_TOOL_OPTIONS";
    let Some(before) = std::env::var_os(BEFORE) else { return };
    // SAFETY: no other thread uses the environment, by the contract above; the same holds for the two calls
    // below.
    unsafe { std::env::remove_var(BEFORE) };
    if before.is_empty() {
        // SAFETY: as above.
        unsafe { std::env::remove_var(OPTIONS) };
    } else {
        // SAFETY: as above.
        unsafe { std::env::set_var(OPTIONS, before) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{ErrorKind, Read, Write};
    use std::os::unix::net::UnixListener;
    use std::time::Instant;

    #[test]
    fn a_listener_that_takes_no_connection_does_not_hold_the_agent() {
        let name = format!("spl-sys-{}-{}", std::process::id(), now_ns());
        let path = std::env::temp_dir().join(name);
        let listener = UnixListener::bind(&path).unwrap();
        let mut ours = connect(&path, Duration::from_secs(60)).unwrap();
        ours.write_all(b"x").unwrap();
        let mut byte = [0];
        listener.accept().unwrap().0.read_exact(&mut byte).unwrap();
        assert_eq!(byte, *b"x");
        // SAFETY: the listener is there; a second call only changes the length of its queue.
        assert_eq!(unsafe { libc::listen(listener.as_raw_fd(), 0) }, 0);
        let (short, begun) = (Duration::from_millis(20), Instant::now());
        let waiting = std::iter::repeat_with(|| connect(&path, short));
        let waiting = waiting.take(10).collect::<Vec<_>>();
        assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
        let last = waiting.last().unwrap().as_ref().unwrap_err();
        assert_eq!(last.kind(), ErrorKind::WouldBlock);
        drop(listener);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(connect(&path, short).unwrap_err().kind(), ErrorKind::NotFound);
        let long = Path::new("/").join("x".repeat(200));
        assert_eq!(connect(&long, short).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
}
