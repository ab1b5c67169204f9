//! Counters and class files that do not belong together.

/// Reason why counters give no counts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The class file is damaged.
    #[error("the class file of {class} cannot be read: {why}")]
    Unreadable {
        /// The class.
        class: String,
        /// The reason.
        why: String,
    },
    /// The agent counted something else than these bytes say.
    #[error("{method} has {expected} counters by its class file, and the agent says {found}")]
    Different {
        /// The method.
        method: String,
        /// Counters by the class file.
        expected: usize,
        /// Counters by the agent.
        found: u32,
    },
}
