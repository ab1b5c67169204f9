//! What to measure when: state, event and time to state and actions.
