//! Answers of the agent when a JVM that runs already loads it: one number, which the JVM hands on as
//! `return code: N` in its attach protocol.

/// The options with which a controller asks the agent to leave the JVM.
pub const LEAVE: &str = "spl.client.leave";

/// The options with which a controller asks the agent to leave the JVM if it still serves the controller at this socket.
#[must_use]
pub fn leave_of(socket: &str) -> String {
    format!("{LEAVE}={socket}")
}

/// Whether options ask the agent to leave: in any case, or only if it serves the controller at a socket.
#[must_use]
pub fn leave_request(options: &str) -> Option<Option<&str>> {
    let whose = options.trim().strip_prefix(LEAVE)?;
    if whose.is_empty() { Some(None) } else { whose.strip_prefix('=').map(Some) }
}

/// The agent's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadAnswer {
    /// The agent connects to the controller of the options; asked to leave: it has left.
    Done,
    /// The options name neither a socket nor a token file.
    Nowhere,
    /// The agent serves another controller, or is about to; asked to leave: by a controller that it serves no more.
    Busy,
    /// The agent had an error of its own before and has given up for the life of the JVM.
    Failed,
    /// The JVM does not let classes be changed now.
    Incapable,
    /// Another copy of the agent is in the JVM.
    Copy,
    /// The JVM records an AOT cache, which would contain the agent's classes.
    Records,
    /// The JVM gave the agent no JVM TI environment, or no JNI environment for its thread.
    NoEnvironment,
    /// The JVM did not give the agent the classes of its exceptions.
    NoClasses,
    /// The JVM did not let the agent hear its events.
    NoEvents,
    /// Something else that the agent needs was refused: memory, a descriptor, a thread, its own classes.
    Unstarted,
    /// The agent is restoring classes and has not left yet; ask again.
    Leaving,
    /// The agent has left, and some class could not be restored.
    Unrestored,
    /// The JVM is ending.
    Ending,
}

impl LoadAnswer {
    const ALL: [(Self, i32); 14] = [
        (Self::Done, 0),
        (Self::Nowhere, 101),
        (Self::Busy, 102),
        (Self::Failed, 103),
        (Self::Incapable, 104),
        (Self::Copy, 105),
        (Self::Records, 106),
        (Self::Unstarted, 107),
        (Self::Leaving, 108),
        (Self::Unrestored, 109),
        (Self::Ending, 110),
        (Self::NoEnvironment, 111),
        (Self::NoClasses, 112),
        (Self::NoEvents, 113),
    ];

    /// The number that the JVM shows.
    #[must_use]
    pub fn code(self) -> i32 {
        Self::ALL.iter().find(|(answer, _)| *answer == self).map_or(-1, |(_, code)| *code)
    }

    /// The answer of a number; `None` for one of another library, or of an agent that panicked.
    #[must_use]
    pub fn of(code: i32) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == code).map(|(answer, _)| *answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_as_they_were_written() {
        for (answer, code) in LoadAnswer::ALL {
            assert_eq!((answer.code(), LoadAnswer::of(code)), (code, Some(answer)));
        }
        assert_eq!((LoadAnswer::of(-1), LoadAnswer::of(1)), (None, None));
    }

    #[test]
    fn who_asks_the_agent_to_leave_is_read_as_it_was_written() {
        assert_eq!(leave_request(LEAVE), Some(None));
        assert_eq!(leave_request(&leave_of("/tmp/a=b")), Some(Some("/tmp/a=b")));
        for other in
            ["", "spl.client.socket=/s", "spl.client.leaves", "spl.client.leave,spl.client.socket=/s"]
        {
            assert_eq!(leave_request(other), None, "{other}");
        }
    }
}
