//! The way to a JVM's socket: what is seen of a process goes in, the next step comes out.
//!
//! A signal is sent only to a HotSpot JVM that handles it, runs, is the user's own, allows attaching by all its
//! options, listens nowhere yet, and finds the request for attaching. Everything else is refused with its
//! reason, or waited for where a JVM is starting.

use crate::options::Options;
use crate::process::Status;
use std::fmt;
use std::time::Duration;

/// Time that a JVM may take from its start until it handles signals, or with `-Xrs` until it listens.
const LONGEST_START: Duration = Duration::from_secs(10);
/// Time that somebody else's request may take.
const LONGEST_OTHER: Duration = Duration::from_secs(3);
/// Age up to which a JVM may still be starting, and the time that it then has handled the signal before it gets
/// one: right after it began to, it removes what it believes to be an old socket.
const YOUNG: Duration = Duration::from_secs(3);
const SETTLING: Duration = Duration::from_millis(100);
/// Time for an answer. The signal is sent once: a JVM that was only slow would answer a second one by printing its
/// threads.
const LONGEST_ANSWER: Duration = Duration::from_secs(10);

/// Facts about a process at one moment.
#[derive(Clone, Debug)]
pub struct Look {
    /// The kernel's facts.
    pub status: Status,
    /// Start of the process in clock ticks since the machine's start. Another one means another process.
    pub start_ticks: u64,
    /// Time since then.
    pub age: Duration,
    /// Whether the library of a HotSpot JVM is loaded.
    pub is_hotspot: bool,
    /// Whether the library of another JVM is loaded.
    pub is_openj9: bool,
    /// Whether the program is a Java launcher, which loads the library soon.
    pub is_launcher: bool,
    /// The JVM's options.
    pub options: Options,
    /// Whether the JVM's thread for requests exists.
    pub has_listener: bool,
    /// The socket in the JVM's `/tmp`.
    pub socket: Entry,
    /// The file that requests attaching, in the working folder or in `/tmp`.
    pub trigger: Entry,
}

/// A file of an expected name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// There is none.
    Absent,
    /// The file belongs to the JVM's user and is of the expected kind.
    Right,
    /// The file belongs to another user, or is something else.
    Wrong,
    /// The file that requests attaching is right, and not ours: somebody else has made it since the JVM's start, and a
    /// signal may be on its way.
    Pending,
}

/// The next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Look again a little later.
    Wait,
    /// Make the file that requests attaching, and look again.
    Request,
    /// Send SIGQUIT at once, and look again.
    Signal,
    /// Connect to the socket.
    Connect,
    /// Leave the process alone.
    Refuse(Refusal),
}

/// Why a process is left alone. No signal was sent, except before [`Silent`](Self::Silent).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The process has ended, or there is none.
    Ended,
    /// Another process has its number now.
    Replaced,
    /// The process is not a HotSpot JVM.
    NotHotSpot,
    /// The process is an OpenJ9 JVM.
    OpenJ9,
    /// The process belongs to another user.
    OtherUser(u32),
    /// The process is stopped and could not answer.
    Stopped,
    /// `-XX:+DisableAttachMechanism`
    Disabled,
    /// `-XX:-EnableDynamicAgentLoading`
    NoAgents,
    /// Not all options of the JVM can be found out.
    OptionsUnknown,
    /// The JVM does not handle SIGQUIT, which would end it.
    Deaf,
    /// `-Xrs`, and no socket.
    FewSignals,
    /// The JVM has listened already, and its socket was removed.
    SocketRemoved,
    /// The socket is not the JVM's.
    SocketForeign,
    /// The file that requests attaching is another user's.
    TriggerForeign,
    /// Another request was made, and not answered.
    Pending,
    /// The JVM did not answer the signal in time.
    Silent,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Ended => "there is no such process, or it is ending",
            Self::Replaced => "the process has ended, and another one has its number",
            Self::NotHotSpot => {
                "it is not a HotSpot JVM, and the signal would end it; name the process of `java` itself"
            }
            Self::OpenJ9 => "it is an OpenJ9 JVM, which has another protocol; start it with `spl client`",
            Self::OtherUser(uid) => {
                return write!(f, "it belongs to user {uid}; attach as that user, or as root");
            }
            Self::Stopped => "it is stopped; let it go on (kill -CONT) and attach then",
            Self::Disabled => {
                "it was started with -XX:+DisableAttachMechanism: it would print its threads instead of listening; \
                 start it with `spl client`"
            }
            Self::NoAgents => {
                "it was started with -XX:-EnableDynamicAgentLoading and loads no agent; start it with `spl client`"
            }
            Self::OptionsUnknown => {
                "its options cannot all be found out, so it might print its threads instead of listening; start it with \
                 `spl client`"
            }
            Self::Deaf => {
                "it does not handle SIGQUIT, which would end it; if it is still starting, attach a little later"
            }
            Self::FewSignals => {
                "it was started with -Xrs and has no socket in /tmp; start it with `spl client`"
            }
            Self::SocketRemoved => {
                "it has listened already, and its socket in /tmp was removed, perhaps by a cleaner: it might print its threads; \
                 start it with `spl client`"
            }
            Self::SocketForeign => "its socket in /tmp belongs to another user or is not a socket",
            Self::TriggerForeign => {
                "a file .attach_pid of another user is in its working folder or in /tmp: it would print its threads; remove the file"
            }
            Self::Pending => {
                "another request for attaching was not answered yet (.attach_pid in its working folder or /tmp): try again later; if \
                 nobody attaches, remove that file"
            }
            Self::Silent => {
                "it did not answer in time; the file .attach_pid was left for it, so that it prints no threads when it comes to it"
            }
        };
        f.write_str(text)
    }
}

/// The way to one JVM.
#[derive(Clone, Debug)]
pub struct Approach {
    own_uid: u32,
    start_ticks: Option<u64>,
    /// When the thread for requests was seen without a socket.
    listener_since: Option<Duration>,
    /// When it was first seen that the JVM handles the signal.
    catches_since: Option<Duration>,
    /// When the signal was sent.
    signalled: Option<Duration>,
}

impl Approach {
    /// The beginning, for a process of this user.
    #[must_use]
    pub fn new(own_uid: u32) -> Self {
        Self { own_uid, start_ticks: None, listener_since: None, catches_since: None, signalled: None }
    }

    /// Whether a signal was sent.
    #[must_use]
    pub fn has_signalled(&self) -> bool {
        self.signalled.is_some()
    }

    /// The next step, `at` this time from the beginning on.
    pub fn next(&mut self, at: Duration, look: &Look) -> Step {
        match self.refusal(look) {
            Some(refusal) => Step::Refuse(refusal),
            None if !look.is_hotspot => wait_or(at, LONGEST_START, Refusal::NotHotSpot),
            None => match look.socket {
                Entry::Wrong | Entry::Pending => Step::Refuse(Refusal::SocketForeign),
                Entry::Right => Step::Connect,
                Entry::Absent => self.awaken(at, look),
            },
        }
    }

    /// The reason to leave the process alone at once.
    fn refusal(&mut self, look: &Look) -> Option<Refusal> {
        let same = *self.start_ticks.get_or_insert(look.start_ticks) == look.start_ticks;
        let status = look.status;
        let rules = [
            (!same, Refusal::Replaced),
            (matches!(status.state, 'Z' | 'X' | 'x'), Refusal::Ended),
            (look.is_openj9, Refusal::OpenJ9),
            (!look.is_hotspot && !look.is_launcher, Refusal::NotHotSpot),
            (status.uid != self.own_uid && self.own_uid != 0, Refusal::OtherUser(status.uid)),
            (look.options.refuses_attach, Refusal::Disabled),
            (look.options.refuses_agents, Refusal::NoAgents),
            (matches!(status.state, 'T' | 't'), Refusal::Stopped),
        ];
        rules.into_iter().find(|(applies, _)| *applies).map(|(_, refusal)| refusal)
    }

    /// The next step towards a JVM that does not listen.
    fn awaken(&mut self, at: Duration, look: &Look) -> Step {
        if let Some(since) = self.signalled {
            return wait_or(at.saturating_sub(since), LONGEST_ANSWER, Refusal::Silent);
        }
        if look.has_listener {
            let since = *self.listener_since.get_or_insert(at);
            return wait_or(at.saturating_sub(since), LONGEST_OTHER, Refusal::SocketRemoved);
        }
        if look.options.few_signals {
            return wait_or(at, LONGEST_START, Refusal::FewSignals);
        }
        if !look.status.catches_quit {
            return wait_or(at, LONGEST_START, Refusal::Deaf);
        }
        if !look.options.known {
            // The counters, which show all options, come soon after the start.
            return wait_or(at, LONGEST_OTHER, Refusal::OptionsUnknown);
        }
        let since = *self.catches_since.get_or_insert(at);
        if look.age < YOUNG && at.saturating_sub(since) < SETTLING {
            return Step::Wait;
        }
        match look.trigger {
            Entry::Wrong => Step::Refuse(Refusal::TriggerForeign),
            Entry::Pending => wait_or(at, LONGEST_OTHER, Refusal::Pending),
            Entry::Absent => Step::Request,
            Entry::Right => {
                self.signalled = Some(at);
                Step::Signal
            }
        }
    }
}

fn wait_or(waited: Duration, longest: Duration, refusal: Refusal) -> Step {
    if waited >= longest { Step::Refuse(refusal) } else { Step::Wait }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ME: u32 = 1000;
    const NOW: Duration = Duration::ZERO;
    const LATE: Duration = Duration::from_secs(60);

    /// A JVM that may be signalled.
    fn ready() -> Look {
        Look {
            status: Status { state: 'S', uid: ME, gid: ME, inner_pid: 12, catches_quit: true },
            start_ticks: 5,
            age: YOUNG,
            is_hotspot: true,
            is_openj9: false,
            is_launcher: true,
            options: Options { known: true, ..Options::default() },
            has_listener: false,
            socket: Entry::Absent,
            trigger: Entry::Right,
        }
    }

    /// The first step, now and where nothing changes for a minute.
    fn steps(change: impl Fn(&mut Look)) -> [Step; 2] {
        let mut look = ready();
        change(&mut look);
        let mut approach = Approach::new(ME);
        let first = approach.next(NOW, &look);
        [first, approach.next(LATE, &look)]
    }

    #[test]
    fn a_jvm_is_requested_then_signalled_then_connected_to() {
        let (mut approach, mut look) = (Approach::new(ME), ready());
        look.trigger = Entry::Absent;
        assert_eq!(approach.next(NOW, &look), Step::Request);
        look.trigger = Entry::Right;
        assert_eq!(approach.next(NOW, &look), Step::Signal);
        assert!(approach.has_signalled());
        assert_eq!(approach.next(NOW, &look), Step::Wait);
        look.has_listener = true;
        assert_eq!(approach.next(LONGEST_ANSWER / 2, &look), Step::Wait);
        look.socket = Entry::Right;
        assert_eq!(approach.next(NOW, &look), Step::Connect);
    }

    #[test]
    fn the_signal_is_sent_once() {
        let (mut approach, look) = (Approach::new(ME), ready());
        assert_eq!(approach.next(NOW, &look), Step::Signal);
        for waited in [Duration::from_millis(1), LONGEST_ANSWER / 2] {
            assert_eq!(approach.next(waited, &look), Step::Wait);
        }
        assert_eq!(approach.next(LONGEST_ANSWER, &look), Step::Refuse(Refusal::Silent));
    }

    #[test]
    fn a_starting_jvm_has_time_to_settle() {
        let (mut approach, mut look) = (Approach::new(ME), ready());
        (look.age, look.status.catches_quit) = (NOW, false);
        assert_eq!(approach.next(NOW, &look), Step::Wait);
        look.status.catches_quit = true;
        let seen = Duration::from_secs(1);
        assert_eq!(approach.next(seen, &look), Step::Wait);
        assert_eq!(approach.next(seen + SETTLING / 2, &look), Step::Wait);
        assert_eq!(approach.next(seen + SETTLING, &look), Step::Signal);
    }

    #[test]
    fn what_a_signal_would_harm_gets_none() {
        let refuse = |refusal| [Step::Refuse(refusal); 2];
        let wait = |refusal| [Step::Wait, Step::Refuse(refusal)];
        assert_eq!(steps(|look| look.status.state = 'Z'), refuse(Refusal::Ended));
        assert_eq!(steps(|look| look.status.state = 'T'), refuse(Refusal::Stopped));
        assert_eq!(steps(|look| look.status.state = 't'), refuse(Refusal::Stopped));
        assert_eq!(steps(|look| look.is_openj9 = true), refuse(Refusal::OpenJ9));
        assert_eq!(steps(|look| look.options.refuses_attach = true), refuse(Refusal::Disabled));
        assert_eq!(steps(|look| look.options.refuses_agents = true), refuse(Refusal::NoAgents));
        assert_eq!(steps(|look| look.status.uid = 7), refuse(Refusal::OtherUser(7)));
        assert_eq!(steps(|look| look.trigger = Entry::Wrong), refuse(Refusal::TriggerForeign));
        assert_eq!(steps(|look| look.socket = Entry::Wrong), refuse(Refusal::SocketForeign));
        assert_eq!(steps(|look| look.status.catches_quit = false), wait(Refusal::Deaf));
        assert_eq!(steps(|look| look.options.few_signals = true), wait(Refusal::FewSignals));
        assert_eq!(steps(|look| look.options.known = false), wait(Refusal::OptionsUnknown));
        assert_eq!(steps(|look| look.has_listener = true), wait(Refusal::SocketRemoved));
        assert_eq!(steps(|look| look.trigger = Entry::Pending), wait(Refusal::Pending));
        assert_eq!(steps(|look| look.is_hotspot = false), wait(Refusal::NotHotSpot));
        let stranger = |look: &mut Look| (look.is_hotspot, look.is_launcher) = (false, false);
        assert_eq!(steps(stranger), refuse(Refusal::NotHotSpot));
    }

    #[test]
    fn another_process_of_the_same_number_is_left_alone() {
        let (mut approach, mut look) = (Approach::new(ME), ready());
        look.trigger = Entry::Absent;
        assert_eq!(approach.next(NOW, &look), Step::Request);
        look = Look { start_ticks: 6, ..ready() };
        assert_eq!(approach.next(NOW, &look), Step::Refuse(Refusal::Replaced));
    }

    #[test]
    fn a_jvm_that_listens_gets_no_signal() {
        for change in [
            |look: &mut Look| look.options.few_signals = true,
            |look: &mut Look| look.status.catches_quit = false,
            |look: &mut Look| look.options.known = false,
            |look: &mut Look| look.has_listener = true,
        ] {
            let both = |look: &mut Look| {
                change(look);
                look.socket = Entry::Right;
            };
            assert_eq!(steps(both), [Step::Connect; 2]);
        }
        let mut look = ready();
        (look.socket, look.status.uid) = (Entry::Right, 7);
        assert_eq!(Approach::new(0).next(NOW, &look), Step::Connect, "root may");
    }

    /// A signal needs all conditions at the same moment.
    #[test]
    fn every_signal_has_all_its_reasons() {
        for bits in 0..1_u32 << 10 {
            let bit = |at: u32| bits >> at & 1 == 1;
            let mut look = ready();
            look.is_hotspot = bit(0);
            look.is_openj9 = bit(1);
            look.status.catches_quit = bit(2);
            look.status.state = if bit(3) { 'S' } else { 'T' };
            look.options.refuses_attach = bit(4);
            look.options.few_signals = bit(5);
            look.options.known = bit(6);
            look.has_listener = bit(7);
            look.socket = if bit(8) { Entry::Right } else { Entry::Absent };
            look.trigger = if bit(9) { Entry::Right } else { Entry::Absent };
            let mut approach = Approach::new(ME);
            let right = bit(0)
                && !bit(1)
                && bit(2)
                && bit(3)
                && !bit(4)
                && !bit(5)
                && bit(6)
                && !bit(7)
                && !bit(8)
                && bit(9);
            for at in [NOW, LONGEST_OTHER, LONGEST_START, LATE] {
                let signals = approach.next(at, &look) == Step::Signal;
                assert!(!signals || right, "{look:?}");
            }
            assert_eq!(approach.has_signalled(), right, "{look:?}");
        }
    }
}
