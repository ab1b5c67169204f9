//! The agent in a JVM that runs already: what is checked before anything is done, and what is kept while the
//! agent has no threads.
//!
//! HotSpot from 21 on unloads a library whose `Agent_OnAttach` answers an error. So after an error nothing of
//! the agent may be left that the JVM could call: no thread, no event.

use crate::connection::Connection;
use crate::jvm::Jvm;
use crate::options::Options;
use crate::worker::Worker;
use spl_wire::LoadAnswer;
use std::sync::{Mutex, PoisonError};

/// The agent thread's state while the thread does not run. It knows what changes of classes have cost so far.
static WORKER: Mutex<Option<Box<Worker>>> = Mutex::new(None);
/// The socket thread's state while the thread does not run. It knows the methods' numbers, which stand in
/// bytecode.
static CONNECTION: Mutex<Option<Connection>> = Mutex::new(None);

/// Keeps the state of the agent thread, which ends.
pub fn keep_worker(worker: Box<Worker>) {
    *WORKER.lock().unwrap_or_else(PoisonError::into_inner) = Some(worker);
}

/// Keeps the state of the socket thread, which ends.
pub fn keep_connection(connection: Connection) {
    *CONNECTION.lock().unwrap_or_else(PoisonError::into_inner) = Some(connection);
}

/// Whether both threads have ended.
pub fn has_left() -> bool {
    let connection = CONNECTION.lock().unwrap_or_else(PoisonError::into_inner);
    let worker = WORKER.lock().unwrap_or_else(PoisonError::into_inner);
    connection.as_ref().is_some_and(|connection| !connection.has_begun() || worker.is_some())
}

/// Takes the state of both threads; `None` while one of them still runs. An agent thread that was never
/// started has its state with the connection.
pub fn take() -> Option<(Connection, Option<Box<Worker>>)> {
    let mut connection = CONNECTION.lock().unwrap_or_else(PoisonError::into_inner);
    let mut worker = WORKER.lock().unwrap_or_else(PoisonError::into_inner);
    let ready = connection.take_if(|connection| !connection.has_begun() || worker.is_some())?;
    Some((ready, worker.take()))
}

/// The options of a controller that wants the agent, with the mistakes in them. A port is reached only with a
/// token, so a controller names its socket or its token file.
pub fn wanted(
    text: &str,
    property: impl Fn(&str) -> Option<String>,
) -> Result<(Options, Vec<String>), LoadAnswer> {
    let (options, mistakes) = Options::read(text, property);
    if options.socket.is_none() && options.token_file.is_none() {
        return Err(LoadAnswer::Nowhere);
    }
    Ok((options, mistakes))
}

/// Prepares a JVM TI environment that was made while the JVM runs. Which capabilities
/// there are depends on the phase, so the agent looks first.
pub fn prepare(jvm: Jvm) -> Result<(), LoadAnswer> {
    jvm.can_retransform().then_some(()).ok_or(LoadAnswer::Incapable)?;
    jvm.prepare_late().map_err(|_| LoadAnswer::NoEvents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_controller_says_where_it_is() {
        let answer = |text| wanted(text, |_| None).map(|(options, _)| options.port);
        assert_eq!(answer(""), Err(LoadAnswer::Nowhere));
        assert_eq!(answer("spl.client.port=7"), Err(LoadAnswer::Nowhere));
        assert_eq!(answer("spl.client.port=7,spl.client.token-file=/t"), Ok(7));
        assert!(answer("spl.client.socket=/s").is_ok());
        assert!(wanted("", |key| (key == "spl.client.socket").then(|| "/s".to_owned())).is_ok());
    }

    #[test]
    fn a_connection_without_an_agent_thread_has_left_at_once() {
        assert!(!has_left() && take().is_none());
    }
}
