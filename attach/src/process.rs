//! The kernel's files about a process (proc(5)): text to values.

use std::path::{Path, PathBuf};

/// SIGQUIT on Linux.
const QUIT: u32 = 3;
/// Part of the file name of the agent's library, also of a copy of it.
const OUR_LIBRARY: &str = "spl_agent";

/// The facts in `/proc/PID/status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// State, such as `S`; `Z` for a process that has ended, `T` for a stopped one.
    pub state: char,
    /// Effective user.
    pub uid: u32,
    /// Effective group.
    pub gid: u32,
    /// The process id in the process's own namespace.
    pub inner_pid: u32,
    /// Whether the process handles SIGQUIT.
    pub catches_quit: bool,
}

impl Status {
    /// Reads the file; `None` where a line is missing, as in one of a process that is ending.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let line = |name: &str| {
            text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
        };
        let second = |name| line(name)?.split_whitespace().nth(1)?.parse().ok();
        let caught = u64::from_str_radix(line("SigCgt")?, 16).ok()?;
        Some(Self {
            state: line("State")?.chars().next()?,
            uid: second("Uid")?,
            gid: second("Gid")?,
            inner_pid: line("NSpid")?.split_whitespace().last()?.parse().ok()?,
            catches_quit: caught >> (QUIT - 1) & 1 == 1,
        })
    }
}

/// Start of a process in clock ticks since the machine's start, from `/proc/PID/stat`. The command's name may
/// contain anything, so the fields are counted from its last parenthesis.
#[must_use]
pub fn start_ticks(stat: &str) -> Option<u64> {
    const START: usize = 22;
    const AFTER_NAME: usize = 3;
    stat.get(stat.rfind(')')? + 1..)?.split_whitespace().nth(START - AFTER_NAME)?.parse().ok()
}

/// Files mapped by a process, as far as they matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapped {
    /// Whether HotSpot is there.
    pub hotspot: bool,
    /// Whether another JVM is there that has a library of the same name, and another protocol.
    pub openj9: bool,
    /// Copies of the agent's library, without the mark of a deleted file.
    pub agents: Vec<PathBuf>,
    /// Device and inode of the file with the JVM's counters.
    pub counters: Option<(u64, u64)>,
}

impl Mapped {
    /// Reads `/proc/PID/maps`.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut mapped = Self::default();
        for line in text.lines() {
            let Some((head, path)) = split(line) else { continue };
            let path = path.strip_suffix(" (deleted)").unwrap_or(path);
            let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
            if name == "libjvm.so" {
                mapped.hotspot = true;
            } else if name.starts_with("libj9") {
                mapped.openj9 = true;
            } else if name.contains(OUR_LIBRARY) && name.ends_with(".so") {
                let path = PathBuf::from(path);
                if !mapped.agents.contains(&path) {
                    mapped.agents.push(path);
                }
            } else if path.contains("/hsperfdata_") {
                mapped.counters = identity(head).or(mapped.counters);
            }
        }
        mapped
    }
}

/// The columns before a mapped file's path, and the path.
fn split(line: &str) -> Option<(&str, &str)> {
    let at = line.find('/')?;
    line.get(..at).zip(line.get(at..))
}

/// Device and inode from the columns `addresses permissions offset major:minor inode`.
fn identity(head: &str) -> Option<(u64, u64)> {
    let mut columns = head.split_whitespace().skip(3);
    let (major, minor) = columns.next()?.split_once(':')?;
    let (major, minor) = (u32::from_str_radix(major, 16).ok()?, u32::from_str_radix(minor, 16).ok()?);
    Some((rustix::fs::makedev(major, minor), columns.next()?.parse().ok()?))
}

/// Whether the file system of this path is mounted without execution, from `/proc/PID/mountinfo`. The deepest
/// mount point counts, and the last one of several at the same place.
#[must_use]
pub fn is_noexec(mountinfo: &str, path: &Path) -> bool {
    has_flag(mountinfo, path, "noexec")
}

/// Whether the file system of this path is mounted for reading only; as [`is_noexec`].
#[must_use]
pub fn is_read_only(mountinfo: &str, path: &Path) -> bool {
    has_flag(mountinfo, path, "ro")
}

fn has_flag(mountinfo: &str, path: &Path, flag: &str) -> bool {
    let mut best: Option<(usize, bool)> = None;
    for line in mountinfo.lines() {
        let mut fields = line.split(' ').skip(4);
        let (Some(point), Some(flags)) = (fields.next(), fields.next()) else { continue };
        let point = PathBuf::from(unescaped(point));
        if path.starts_with(&point) {
            let depth = point.components().count();
            if best.is_none_or(|(known, _)| depth >= known) {
                best = Some((depth, flags.split(',').any(|one| one == flag)));
            }
        }
    }
    best.is_some_and(|(_, has)| has)
}

/// The kernel writes blanks and backslashes in paths as octal numbers.
fn unescaped(text: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .iter()
        .fold(text.to_owned(), |text, (escape, plain)| text.replace(escape, plain))
}

/// The words of `/proc/PID/cmdline` or the entries of `/proc/PID/environ`.
#[must_use]
pub fn words(bytes: &[u8]) -> Vec<String> {
    let text = bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    text.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: &str = "Name:\tjava\nState:\tS (sleeping)\nUid:\t1\t1000\t1000\t1000\nGid:\t1\t7\t7\t7\n\
                          NSpid:\t4711\t12\nSigBlk:\t0000000000000000\nSigCgt:\t2000000181005ccf\n";

    #[test]
    fn a_status_says_who_and_whether_it_handles_the_signal() {
        let status = Status::of(STATUS).unwrap();
        let expected = Status { state: 'S', uid: 1000, gid: 7, inner_pid: 12, catches_quit: true };
        assert_eq!(status, expected);
        let deaf = Status::of(&STATUS.replace("5ccf", "5ccb")).unwrap();
        assert_eq!(deaf, Status { catches_quit: false, ..expected });
        assert_eq!(Status::of("Name:\tjava\nState:\tZ (zombie)\n"), None);
        assert_eq!(Status::of(&STATUS.replace("SigCgt", "SigXxx")), None);
    }

    #[test]
    fn a_name_with_parentheses_moves_no_field() {
        let fields = (4..=22).map(|field| field.to_string()).collect::<Vec<_>>().join(" ");
        assert_eq!(start_ticks(&format!("12 (a) b (c)) S {fields} 99")), Some(22));
        assert_eq!(start_ticks("12 (java"), None);
        assert_eq!(start_ticks("12 (java) S 1 2"), None);
    }

    #[test]
    fn maps_show_the_jvm_and_the_agent() {
        let maps = "7f00-7f01 r-xp 00000000 08:02 77 /jdk/lib/server/libjvm.so\n\
                    7f01-7f02 rw-s 00000000 fe:01 13 /tmp/hsperfdata_me/12\n\
                    7f02-7f03 r-xp 00000000 08:02 9 /a b/libspl_agent.so (deleted)\n\
                    7f03-7f04 r--p 00000000 08:02 9 /a b/libspl_agent.so (deleted)\n\
                    7f04-7f05 rw-p 00000000 00:00 0 \n7f05-7f06 rw-p 00000000 00:00 0 [heap]\n";
        let mapped = Mapped::of(maps);
        assert!(mapped.hotspot && !mapped.openj9);
        assert_eq!(mapped.agents, [PathBuf::from("/a b/libspl_agent.so")]);
        assert_eq!(mapped.counters, Some((rustix::fs::makedev(0xfe, 1), 13)));
        assert!(Mapped::of("1-2 r-xp 0 08:02 7 /jdk/lib/default/libj9vm29.so\n").openj9);
        assert_eq!(Mapped::of("1-2 r-xp 0 08:02 7 /bin/sleep\n"), Mapped::default());
    }

    #[test]
    fn the_deepest_mount_decides_about_execution() {
        let mounts = "21 1 8:2 / / rw,relatime - ext4 /dev/sda rw\n\
                      22 21 0:5 / /tmp rw,nosuid,noexec - tmpfs tmpfs rw\n\
                      23 22 0:6 / /tmp/my\\040place rw - tmpfs tmpfs rw\n";
        for (path, noexec) in [("/tmp", true), ("/tmp/x", true), ("/tmp/my place/x", false), ("/tmpx", false)]
        {
            assert_eq!(is_noexec(mounts, Path::new(path)), noexec, "{path}");
        }
        assert!(!is_noexec("", Path::new("/")));
        let mounts = "21 1 8:2 / / ro - ext4 /dev/sda rw\n22 21 0:5 / /tmp rw - tmpfs tmpfs ro\n";
        assert!(is_read_only(mounts, Path::new("/var/tmp")) && !is_read_only(mounts, Path::new("/tmp")));
    }
}
