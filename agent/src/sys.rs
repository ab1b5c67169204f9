//! The operating system calls that std doesn't have: monotonic clock, signal mask, waiting for a socket,
//! random bytes, environment.

use std::ffi::{CStr, c_char, c_void};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
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

/// Unpredictable bytes.
///
/// # Errors
/// When the system has no entropy yet, early after its start.
pub fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    // SAFETY: the array has room for `N` bytes.
    let count = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), N, libc::GRND_NONBLOCK) };
    if usize::try_from(count) == Ok(N) { Ok(bytes) } else { Err(io::Error::last_os_error()) }
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
