//! CPU time of another process's threads, as the kernel shows it.

use std::fs;
use std::path::{Path, PathBuf};

/// The kernel's tick in `/proc/PID/stat`: fixed by Linux's ABI on every machine that HotSpot runs on.
pub(crate) const TICK_NS: u64 = 10_000_000;

/// Name of the agent's thread, which the agent sets. By it a process is known to be the one that the agent means: in a
/// container it has another number.
pub(crate) const AGENT_THREAD: &str = "spl-link";

/// Folders in `/proc` of a process's threads with such names; `None` when the process does not exist or is not
/// visible to us. The kernel cuts a name after 15 bytes.
pub(crate) fn threads(pid: u32, has_name: impl Fn(&str) -> bool) -> Option<Vec<PathBuf>> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).ok()?.filter_map(|one| Some(one.ok()?.path()));
    let named = threads
        .filter(|folder| fs::read_to_string(folder.join("comm")).is_ok_and(|name| has_name(name.trim_end())));
    Some(named.collect())
}

/// CPU time that a thread has used, nanoseconds. Kernels without the scheduler's own count show ticks.
pub(crate) fn of_thread(folder: &Path) -> Option<u64> {
    let exact = fs::read_to_string(folder.join("schedstat")).ok();
    let exact = exact.and_then(|text| text.split_ascii_whitespace().next()?.parse().ok());
    exact.or_else(|| of_stat(&fs::read_to_string(folder.join("stat")).ok()?))
}

/// Time for which a thread ran or waited for a processor, nanoseconds: on a busy machine it gets less than it needs.
pub(crate) fn busy_time(folder: &Path) -> Option<u64> {
    let both = fs::read_to_string(folder.join("schedstat")).ok().and_then(|text| of_schedstat(&text));
    both.or_else(|| of_thread(folder))
}

/// The first two numbers of `schedstat`: running and waiting.
fn of_schedstat(text: &str) -> Option<u64> {
    let mut fields = text.split_ascii_whitespace();
    let mut ns = || fields.next()?.parse::<u64>().ok();
    Some(ns()?.saturating_add(ns()?))
}

/// CPU time that a process has used, nanoseconds.
pub(crate) fn of_process(pid: u32) -> Option<u64> {
    of_stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// User and system time in a process's `stat` (proc(5), fields 14 and 15). Its name, in parentheses, may hold
/// anything.
fn of_stat(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(ticks()?.saturating_add(ticks()?).saturating_mul(TICK_NS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_time_stands_behind_the_name() {
        let stat = "12 (a ) b) S 1 12 12 0 -1 4194304 1 2 3 4 150 50 7 8 20 0 30 0 100";
        assert_eq!(of_stat(stat), Some(2_000_000_000));
        assert_eq!(of_stat("12 (java) S 1"), None);
        assert_eq!(of_stat(""), None);
    }

    #[test]
    fn waiting_for_a_processor_is_being_busy() {
        assert_eq!(of_schedstat("1500 2700 12\n"), Some(4200));
        assert_eq!(of_schedstat("1500"), None);
    }

    #[test]
    fn a_process_shows_its_threads() {
        let all = threads(std::process::id(), |_| true).unwrap();
        assert!(
            all.iter().any(|folder| of_thread(folder).is_some_and(|ran| busy_time(folder) >= Some(ran))),
            "{all:?}"
        );
        assert_eq!(threads(std::process::id(), |_| false), Some(Vec::new()));
        assert_eq!(threads(u32::MAX, |_| true), None);
    }
}
