//! Findings about a JVM before it is attached to: facts go in, sentences for the operator come out. Nothing is
//! sent to the JVM.

use crate::approach::{Approach, Entry, Look, Step};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// How good a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Nothing is to be done.
    Good,
    /// There is a cost or a weakness.
    Notice,
    /// The JVM cannot be measured by attaching.
    Bad,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How good it is.
    pub grade: Grade,
    /// The subject.
    pub check: &'static str,
    /// The fact, with its consequence.
    pub fact: String,
    /// The remedy; empty where none is needed.
    pub remedy: String,
}

impl Grade {
    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Notice => "note",
            Self::Bad => "BAD",
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<5}{:<9}{}", self.grade.word(), self.check, self.fact)?;
        if self.remedy.is_empty() { Ok(()) } else { write!(f, "; {}", self.remedy) }
    }
}

/// Further facts, which do not decide about the signal.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Copies of the agent's library in the JVM.
    pub agents: Vec<PathBuf>,
    /// Whether the JVM sees the library at its own path.
    pub sees_library: bool,
    /// The first folder in which the JVM could execute a copy of it.
    pub place: Option<PathBuf>,
    /// Whether the JVM's `/tmp` is mounted for reading only.
    pub tmp_is_read_only: bool,
    /// The JVM's feature release, where its counters show it.
    pub release: Option<u32>,
    /// Whether its options keep it from recording which compiled code contains a method.
    pub forgets_dependencies: bool,
    /// Whether its options allow agents that come late without a warning.
    pub allows_agents: bool,
    /// Other agents on its command line.
    pub others: Vec<String>,
    /// Time that its compilers have worked so far, where its counters show it.
    pub compiled_for: Option<Duration>,
    /// The kernel's clock source, such as `tsc`.
    pub clock: String,
}

impl Surroundings {
    /// Whether the first change of a class discards all compiled code.
    #[must_use]
    pub fn discards_all(&self) -> bool {
        let records = self.release.is_some_and(|release| release >= RECORDS_SINCE);
        self.agents.is_empty() && (!records || self.forgets_dependencies)
    }
}

/// The first release that always records which compiled code contains a method (JDK-8324241).
const RECORDS_SINCE: u32 = 23;

/// The first release that warns of agents that come late (JEP 451).
const WARNS_SINCE: u32 = 21;

/// The findings, in the order in which they matter.
#[must_use]
pub fn findings(look: &Look, around: &Surroundings, own_uid: u32) -> Vec<Finding> {
    [
        Some(attaching(look, around, own_uid)),
        Some(agent(around)),
        price(around),
        warning(around),
        library(around),
        clock(around),
    ]
    .into_iter()
    .flatten()
    // Of another program nothing else matters.
    .take(if look.is_hotspot { usize::MAX } else { 1 })
    .collect()
}

fn finding(grade: Grade, check: &'static str, fact: impl Into<String>, remedy: &str) -> Finding {
    Finding { grade, check, fact: fact.into(), remedy: remedy.to_owned() }
}

fn attaching(look: &Look, around: &Surroundings, own_uid: u32) -> Finding {
    let step = outlook(look, own_uid);
    match step {
        Step::Refuse(refusal) => finding(Grade::Bad, "attach", refusal.to_string(), ""),
        Step::Connect => finding(Grade::Good, "attach", "it listens; no signal is needed", ""),
        Step::Wait | Step::Request | Step::Signal if around.tmp_is_read_only => finding(
            Grade::Bad,
            "attach",
            "its /tmp can only be read, so it could make no socket there",
            "start it with `spl client`, or give it a /tmp",
        ),
        Step::Wait | Step::Request | Step::Signal => {
            finding(Grade::Good, "attach", "it listens after one SIGQUIT, which it handles", "")
        }
    }
}

/// The step that all waiting would lead to, as far as it can be known without making the file.
fn outlook(look: &Look, own_uid: u32) -> Step {
    let mut approach = Approach::new(own_uid);
    let at_last = Look { age: Duration::MAX, ..look.clone() };
    approach.next(Duration::ZERO, &at_last);
    let later = Duration::from_secs(3600);
    match look.socket {
        Entry::Absent if approach.has_signalled() => Step::Signal,
        Entry::Absent | Entry::Right | Entry::Wrong | Entry::Pending => approach.next(later, &at_last),
    }
}

fn agent(around: &Surroundings) -> Finding {
    match &around.agents[..] {
        [] => finding(Grade::Good, "agent", "it is not there yet", ""),
        [one] => {
            finding(Grade::Good, "agent", format!("it is there already and is used: {}", one.display()), "")
        }
        several => finding(
            Grade::Bad,
            "agent",
            format!("{} copies of it are there, which do not know of each other", several.len()),
            "restart the program",
        ),
    }
}

fn price(around: &Surroundings) -> Option<Finding> {
    if !around.discards_all() {
        return Some(finding(Grade::Good, "price", "only changed methods lose their compiled code", ""));
    }
    let others = if around.others.is_empty() {
        String::new()
    } else {
        format!(", unless one of its other agents changes classes: {}", around.others.join(" "))
    };
    let time = around.compiled_for.map(|time| {
        format!("; its compilers have worked {:.1} s for that and may have to again", time.as_secs_f64())
    });
    Some(finding(
        Grade::Notice,
        "price",
        format!(
            "it was started without the agent: at the first change of a class it discards all its compiled code{others}{}",
            time.unwrap_or_default()
        ),
        "start it with `spl client` to avoid this",
    ))
}

fn warning(around: &Surroundings) -> Option<Finding> {
    let warns = around.release.is_some_and(|release| release >= WARNS_SINCE);
    (warns && around.agents.is_empty() && !around.allows_agents).then(|| {
        finding(
            Grade::Notice,
            "warning",
            "it prints three lines on its standard error when the agent comes",
            "start it with -XX:+EnableDynamicAgentLoading, or with `spl client`",
        )
    })
}

fn library(around: &Surroundings) -> Option<Finding> {
    if !around.agents.is_empty() {
        return None;
    }
    Some(match (&around.place, around.sees_library) {
        (_, true) => finding(Grade::Good, "library", "it sees the library at its path", ""),
        (Some(place), false) => finding(
            Grade::Good,
            "library",
            format!("a copy is put into its {} and removed", place.display()),
            "",
        ),
        (None, false) => finding(
            Grade::Bad,
            "library",
            "it does not see the library, and may execute nothing in /dev/shm, /tmp, /var/tmp or /run",
            "mount one of them with execution, or put the library where it sees it (--agent)",
        ),
    })
}

fn clock(around: &Surroundings) -> Option<Finding> {
    match &*around.clock {
        "" => None,
        clock @ ("tsc" | "kvm-clock" | "hyperv_clocksource_tsc_page" | "arch_sys_counter") => Some(finding(
            Grade::Good,
            "clock",
            format!("{clock}: it is read without a call of the system"),
            "",
        )),
        other => Some(finding(
            Grade::Notice,
            "clock",
            format!(
                "{other}: each reading is a call of the system, so measured calls are dear and short ones inexact"
            ),
            "see /sys/devices/system/clocksource/clocksource0/available_clocksource",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::process::Status;

    const ME: u32 = 1000;

    fn jvm() -> Look {
        Look {
            status: Status { state: 'S', uid: ME, gid: ME, inner_pid: 12, catches_quit: true },
            start_ticks: 5,
            age: Duration::from_secs(60),
            is_hotspot: true,
            is_openj9: false,
            is_launcher: true,
            options: Options { known: true, ..Options::default() },
            has_listener: false,
            socket: Entry::Absent,
            trigger: Entry::Absent,
        }
    }

    fn around() -> Surroundings {
        Surroundings {
            sees_library: true,
            release: Some(17),
            clock: "tsc".to_owned(),
            ..Surroundings::default()
        }
    }

    /// The finding of one check.
    fn found(look: &Look, around: &Surroundings, check: &str) -> Option<Finding> {
        findings(look, around, ME).into_iter().find(|finding| finding.check == check)
    }

    #[test]
    fn a_jvm_is_found_attachable_or_not_without_a_request() {
        let attach = |change: &dyn Fn(&mut Look)| {
            let mut look = jvm();
            change(&mut look);
            let finding = found(&look, &around(), "attach").unwrap();
            (finding.grade, finding.fact)
        };
        assert!(matches!(attach(&|_| ()), (Grade::Good, fact) if fact.contains("SIGQUIT")));
        assert!(
            matches!(attach(&|look| look.socket = Entry::Right), (Grade::Good, fact) if fact.contains("no signal"))
        );
        for (change, part) in [
            (&(|look: &mut Look| look.options.refuses_attach = true) as &dyn Fn(&mut Look), "DisableAttach"),
            (&|look| look.options.few_signals = true, "-Xrs"),
            (&|look| look.status.catches_quit = false, "does not handle"),
            (&|look| look.status.uid = 7, "user 7"),
            (&|look| look.is_hotspot = false, "not a HotSpot"),
            (&|look| look.has_listener = true, "removed"),
            (&|look| look.trigger = Entry::Wrong, ".attach_pid"),
        ] {
            let (grade, fact) = attach(change);
            assert!(grade == Grade::Bad && fact.contains(part), "{part}: {fact}");
        }
        let read_only = Surroundings { tmp_is_read_only: true, ..around() };
        assert_eq!(found(&jvm(), &read_only, "attach").unwrap().grade, Grade::Bad);
    }

    #[test]
    fn costs_and_weaknesses_are_noticed() {
        let grade = |around: &Surroundings, check| found(&jvm(), around, check).map(|finding| finding.grade);
        let bare = around();
        assert_eq!(grade(&bare, "price"), Some(Grade::Notice));
        assert_eq!((grade(&bare, "warning"), grade(&bare, "library")), (None, Some(Grade::Good)));
        let warm = Surroundings { compiled_for: Some(Duration::from_millis(12_340)), ..around() };
        let fact = found(&jvm(), &warm, "price").unwrap().fact;
        assert!(fact.contains("its compilers have worked 12.3 s"), "{fact}");
        let late = Surroundings { release: Some(25), ..around() };
        assert_eq!(grade(&late, "price"), Some(Grade::Good));
        let forgetful = Surroundings { forgets_dependencies: true, ..late.clone() };
        assert_eq!(grade(&forgetful, "price"), Some(Grade::Notice));
        assert_eq!(grade(&Surroundings { release: None, ..around() }, "price"), Some(Grade::Notice));
        assert_eq!(grade(&late, "warning"), Some(Grade::Notice));
        assert_eq!(grade(&Surroundings { allows_agents: true, ..late.clone() }, "warning"), None);
        let dormant = Surroundings { agents: vec!["/a.so".into()], ..late };
        assert_eq!((grade(&dormant, "price"), grade(&dormant, "warning")), (Some(Grade::Good), None));
        assert_eq!(grade(&dormant, "library"), None);
        let twice = Surroundings { agents: vec!["/a.so".into(), "/b.so".into()], ..around() };
        assert_eq!(grade(&twice, "agent"), Some(Grade::Bad));
        let hidden = Surroundings { sees_library: false, ..around() };
        assert_eq!(grade(&hidden, "library"), Some(Grade::Bad));
        assert_eq!(
            grade(&Surroundings { place: Some("/run".into()), ..hidden }, "library"),
            Some(Grade::Good)
        );
        let slow = Surroundings { clock: "hpet".to_owned(), ..around() };
        assert_eq!((grade(&slow, "clock"), grade(&bare, "clock")), (Some(Grade::Notice), Some(Grade::Good)));
        let finding = found(&jvm(), &slow, "clock").unwrap();
        assert!(finding.to_string().starts_with("note clock    hpet: "), "{finding}");
    }
}
