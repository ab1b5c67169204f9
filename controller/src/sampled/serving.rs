//! The JVM that is heard: one, from its connection until its end or that of the time.

use super::Orders;
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

/// The result of listening.
#[derive(Debug, Default)]
pub struct Told {
    /// The events.
    pub gathered: Gathered,
    /// Whether the JVM goes on.
    pub goes_on: bool,
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
    let (mut told, mut until) = (Told::default(), orders.first_by);
    let mut heard: Option<Agent> = None;
    let mut is_ending = false;
    loop {
        let input = tokio::select! {
            input = inputs.next() => Some(input),
            () = sleep_until(until.unwrap_or_else(Instant::now).into()), if until.is_some() => None,
        };
        match input {
            Some(Input::Said { agent, message, .. }) => {
                if let ToController::Hello { pid, command, .. } = *message {
                    if heard.is_some() || is_ending {
                        progress.note(&format!("pid {pid} is not heard: one JVM is heard at a time"));
                        agent.send(ToAgent::Detach);
                        continue;
                    }
                    let interval_bytes = orders.interval_bytes;
                    agent.send(ToAgent::Listen(Listening { alone: true, interval_bytes, look_ms: LOOK_MS }));
                    progress.note(&format!(
                        "hearing the events of pid {pid}: {}; no class is changed",
                        one_line(&command)
                    ));
                    (heard, until) = (Some(agent), None);
                } else if heard.as_ref().is_some_and(|one| one.id == agent.id) {
                    match *message {
                        ToController::Events(events) => {
                            if matches!(events, Events::Begun { .. }) && !is_ending {
                                until = orders.longest.map(|longest| Instant::now() + longest);
                            }
                            let is_refused = matches!(events, Events::Refused { .. });
                            told.gathered.take(events)?;
                            out.rates(&told.gathered)?;
                            if is_refused {
                                agent.send(ToAgent::Detach);
                            }
                        }
                        ToController::Warning { text } => {
                            progress.note(&format!("the agent warns: {}", one_line(&text)));
                        }
                        ToController::Bye { reason } => {
                            told.goes_on = reason != ByeReason::VmDeath;
                            if let ByeReason::Failed(why) = reason {
                                progress.problem(&format!("the agent failed: {}", one_line(&why)));
                            }
                            return Ok(told);
                        }
                        _ => {}
                    }
                }
            }
            Some(Input::Lost { agent, .. }) if heard.as_ref().is_some_and(|one| one.id == agent) => {
                progress.note("the JVM ended at once: its last second may be missing");
                return Ok(told);
            }
            Some(Input::Ended { .. }) => match &heard {
                None => return Ok(told),
                Some(agent) => {
                    // A JVM may outlive the command.
                    agent.send(ToAgent::Detach);
                    (is_ending, until) = (true, Some(Instant::now() + LAST_MESSAGES));
                }
            },
            None | Some(Input::Interrupted) => match &heard {
                Some(agent) if !is_ending => {
                    agent.send(ToAgent::Detach);
                    (is_ending, until) = (true, Some(Instant::now() + LONGEST_FAREWELL));
                }
                _ => {
                    told.goes_on = heard.is_some();
                    return Ok(told);
                }
            },
            Some(Input::Lost { .. } | Input::Reload | Input::Unproved { .. }) => {}
        }
    }
}
