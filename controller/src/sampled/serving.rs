//! The JVM that is heard: one, from its connection until its end or that of the time.

use super::files::Folder;
use crate::drill::LAST_MESSAGES;
use crate::heard::Gathered;
use crate::progress::Progress;
use spl_model::one_line;
use spl_session::agents::{Agent, Input};
use spl_session::measure::Inputs;
use spl_wire::{ByeReason, Events, Listening, ToAgent, ToController};
use std::time::{Duration, Instant};
use tokio::time::sleep_until;

/// Time that an agent has to give the events back and to answer.
const LONGEST_FAREWELL: Duration = Duration::from_secs(15);
/// Milliseconds between looks of the agent at the states of threads.
const LOOK_MS: u32 = 10;

/// The orders of the operator.
#[derive(Clone, Copy, Debug)]
pub struct Orders {
    /// Longest time from the begin on.
    pub longest: Option<Duration>,
    /// Mean number of allocated bytes between two samples.
    pub interval_bytes: u32,
    /// Time by which an agent must have connected.
    pub first_by: Option<Instant>,
}

/// The result of listening.
#[derive(Debug, Default)]
pub struct Told {
    /// The events.
    pub gathered: Gathered,
    /// Whether the JVM goes on.
    pub goes_on: bool,
}

/// The JVM that is heard, and what it told so far.
struct Hearing<'a> {
    orders: &'a Orders,
    progress: &'a Progress,
    told: Told,
    /// The agent of the JVM.
    agent: Option<Agent>,
    /// The end has been asked for, or must come by itself.
    is_ending: bool,
    /// When the next thing is due.
    until: Option<Instant>,
}

/// Hears the first JVM that connects.
///
/// # Errors
/// When the agent contradicts itself, or rates cannot be written; one line of text.
pub async fn listen(
    orders: &Orders,
    inputs: &mut Inputs,
    out: &mut Folder,
    progress: &Progress,
) -> Result<Told, String> {
    let (told, until) = (Told::default(), orders.first_by);
    let mut hearing = Hearing { orders, progress, told, agent: None, is_ending: false, until };
    loop {
        let until = hearing.until;
        let input = tokio::select! {
            input = inputs.next() => Some(input),
            () = sleep_until(until.unwrap_or_else(Instant::now).into()), if until.is_some() => None,
        };
        if hearing.take(input, out)? {
            return Ok(hearing.told);
        }
    }
}

impl Hearing<'_> {
    /// Takes an input in, or the time that was due; whether nothing more comes.
    fn take(&mut self, input: Option<Input>, out: &mut Folder) -> Result<bool, String> {
        let is_heard = |agent: u64| self.agent.as_ref().is_some_and(|one| one.id == agent);
        match input {
            Some(Input::Said { agent, message, .. }) => {
                let is_heard = is_heard(agent.id);
                if let ToController::Hello { pid, command, .. } = *message {
                    self.connects(agent, pid, &command);
                } else if is_heard {
                    return self.said(&agent, *message, out);
                }
            }
            Some(Input::Lost { agent, .. }) if is_heard(agent) => {
                self.progress.note("the JVM ended at once: its last second may be missing");
                return Ok(true);
            }
            // A JVM may outlive the command.
            Some(Input::Ended { .. }) => return Ok(self.ends(LAST_MESSAGES)),
            None | Some(Input::Interrupted) if self.is_ending || self.agent.is_none() => {
                self.told.goes_on = self.agent.is_some();
                return Ok(true);
            }
            None | Some(Input::Interrupted) => return Ok(self.ends(LONGEST_FAREWELL)),
            Some(Input::Lost { .. } | Input::Reload | Input::Unproved { .. }) => {}
        }
        Ok(false)
    }

    fn connects(&mut self, agent: Agent, pid: u32, command: &str) {
        if self.agent.is_some() || self.is_ending {
            self.progress.note(&format!("pid {pid} is not heard: one JVM is heard at a time"));
            agent.send(ToAgent::Detach);
            return;
        }
        let interval_bytes = self.orders.interval_bytes;
        agent.send(ToAgent::Listen(Listening { alone: true, interval_bytes, look_ms: LOOK_MS, heap: false }));
        let command = one_line(command);
        self.progress.note(&format!("hearing the events of pid {pid}: {command}; no class is changed"));
        (self.agent, self.until) = (Some(agent), None);
    }

    /// Takes a message of the JVM in; whether it was the last one.
    fn said(&mut self, agent: &Agent, message: ToController, out: &mut Folder) -> Result<bool, String> {
        if let ToController::Events(events) = message {
            if matches!(events, Events::Begun { .. }) && !self.is_ending {
                self.until = self.orders.longest.map(|longest| Instant::now() + longest);
            }
            if matches!(events, Events::Refused { .. }) {
                agent.send(ToAgent::Detach);
            }
            self.told.gathered.take(events)?;
            out.rates(&self.told.gathered)?;
        } else if let ToController::Warning { text } = message {
            self.progress.note(&format!("the agent warns: {}", one_line(&text)));
        } else if let ToController::Bye { reason } = message {
            self.told.goes_on = reason != ByeReason::VmDeath;
            if let ByeReason::Failed(why) = reason {
                self.progress.problem(&format!("the agent failed: {}", one_line(&why)));
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// Asks for the end, which has to come in this time; whether nothing more comes.
    fn ends(&mut self, at_most: Duration) -> bool {
        if let Some(agent) = &self.agent {
            agent.send(ToAgent::Detach);
        }
        (self.is_ending, self.until) = (true, Some(Instant::now() + at_most));
        self.agent.is_none()
    }
}
