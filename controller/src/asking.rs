//! The search for methods in the running JVMs, before a measurement begins, where the files lack them.
//!
//! Until every method is known the agents stay connected and unmeasured. Their first messages then go to the
//! session, that of the JVM with the methods first.

mod jvm;
mod needs;

pub use needs::Needs;

use crate::progress::Progress;
use jvm::{Jvm, Look};
use spl_classes::Catalogue;
use spl_lang::Program;
use spl_model::one_line;
use spl_session::agents::{Agent, Input};
use spl_session::measure::Inputs;
use spl_session::until::Until;
use spl_session::which::Which;
use spl_wire::{ByeReason, ToAgent, ToController};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Time between the end of the operator's longest measurement and the end of the search, as a JVM may start late.
const LONGER: Duration = Duration::from_secs(30);
/// Most JVMs that are described at the end.
const DESCRIBED: usize = 5;
/// Most methods that a note names.
const NAMED: usize = 3;
/// Most inputs without an agent that wait for the session: any user of this machine can connect to a port.
const MOST_OTHERS: usize = 50;

/// Conditions of a search.
#[derive(Debug)]
pub struct Search<'a> {
    /// Classes and methods that a JVM needs to be measured.
    pub needs: Needs<'a>,
    /// JVMs that are measured.
    pub which: Which,
    /// The end that the operator asked for.
    pub until: Until,
    /// Whether agents come to a port: the search ends with the first program.
    pub at_port: bool,
    /// Whether the JVM must have loaded one of the classes.
    pub loaded: bool,
    /// Whether the JVM is measured alone, and the others wait.
    pub alone: bool,
}

/// A search that found no methods.
#[derive(Debug)]
pub struct NotFound {
    /// The reason, as text for the operator; `None` without a JVM.
    pub why: Option<String>,
    /// Whether the operator ended the search.
    pub interrupted: bool,
    /// Whether the operator knows the reason already.
    pub is_said: bool,
    /// Process ids of the searched JVMs that may still run.
    pub programs: Vec<u32>,
    /// Process ids of JVMs that have none of the classes.
    pub without: Vec<u32>,
}

/// A JVM with the methods.
#[derive(Debug)]
pub struct Found {
    /// The meaning of the tasks in this JVM.
    pub program: Program,
    /// Connections that were refused and are not yet closed.
    pub refused: Vec<u64>,
    /// The classes of this JVM, as far as they are known.
    pub classes: Catalogue,
}

impl NotFound {
    /// Says the reason, if the operator does not know it. Gives whether there is one.
    pub fn say(&self, progress: &Progress) -> bool {
        self.why.iter().for_each(|why| progress.problem(why));
        self.is_said || self.why.is_some()
    }
}

/// The first names.
fn listed(names: &[String]) -> String {
    let shown = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// The state of a search.
struct Asking<'a> {
    search: &'a Search<'a>,
    progress: &'a Progress,
    jvms: BTreeMap<u64, Jvm>,
    /// Descriptions of JVMs that have gone.
    gone: Vec<String>,
    /// The last findings about the task file.
    findings: Option<String>,
    /// Inputs for the session, in their order.
    kept: Vec<Input>,
    /// Number of them that are not of an agent.
    others: usize,
    /// Whether the operator knows that the search goes on.
    noted: bool,
    /// Errors of the task file that the operator knows.
    said: Option<String>,
    /// Process ids of gone JVMs that had none of the classes.
    without: Vec<u32>,
}

/// Course of the search after an input.
enum Course {
    GoOn,
    /// The methods, and the connection of the JVM that has them.
    Found(Program, u64),
    Over {
        why: Option<String>,
        interrupted: bool,
    },
}

/// Asks the JVMs that connect until one has every method of the task file.
///
/// # Errors
/// When the search ended without.
pub async fn ask(search: &Search<'_>, inputs: &mut Inputs, progress: &Progress) -> Result<Found, NotFound> {
    let mut asking = Asking {
        search,
        progress,
        jvms: BTreeMap::new(),
        gone: Vec::new(),
        findings: None,
        kept: Vec::new(),
        others: 0,
        noted: search.loaded,
        said: None,
        without: Vec::new(),
    };
    let ends_at = search.until.longest.map(|longest| Instant::now() + longest + LONGER);
    loop {
        let next = asking.jvms.values().filter_map(|jvm| jvm.ask_at).chain(ends_at).min();
        let pause = async {
            match next {
                Some(at) => tokio::time::sleep_until(at.into()).await,
                None => std::future::pending().await,
            }
        };
        let course = tokio::select! {
            biased;
            input = inputs.next() => asking.input(input),
            () = pause => asking.idle(ends_at),
        };
        match course {
            Course::GoOn => {}
            Course::Found(program, first) => {
                return Ok(asking.hand_over(program, first, inputs));
            }
            Course::Over { why, interrupted } => {
                // A dormant agent does not connect again and again.
                asking.jvms.values().for_each(|jvm| jvm.agent.send(ToAgent::Detach));
                let programs = asking.jvms.values().map(|jvm| jvm.pid).collect();
                let is_said = asking.said.is_some();
                let why = why.or_else(|| asking.why().filter(|_| !is_said));
                return Err(NotFound { why, interrupted, is_said, programs, without: asking.without() });
            }
        }
    }
}

impl Asking<'_> {
    fn input(&mut self, input: Input) -> Course {
        match input {
            Input::Said { agent, at, message } => self.said(agent, at, message),
            Input::Lost { agent, .. } if self.jvms.contains_key(&agent) => self.left(agent, None),
            Input::Ended { .. } => Course::Over { why: None, interrupted: false },
            Input::Interrupted => Course::Over { why: None, interrupted: true },
            Input::Reload => {
                self.progress.note(
                    "tasks and settings stay as they were while their methods are looked up: send the signal again \
                     once the measurement has begun",
                );
                Course::GoOn
            }
            Input::Lost { .. } | Input::Unproved { .. } => {
                if self.others < MOST_OTHERS {
                    self.others += 1;
                    self.kept.push(input);
                }
                Course::GoOn
            }
        }
    }

    fn said(&mut self, agent: Agent, at: Instant, message: Box<ToController>) -> Course {
        let id = agent.id;
        if let ToController::Hello { pid, java_version, command, .. } = &*message {
            self.came(&agent, *pid, java_version, command);
            self.kept.push(Input::Said { agent, at, message });
        } else if let ToController::Ping { id } = *message {
            agent.send(ToAgent::Pong { id });
        } else if !self.jvms.contains_key(&id) {
            // The message is for an earlier session.
        } else if let ToController::Surveyed { .. } = *message {
            return self.surveyed(id, *message);
        } else if let ToController::Bye { reason } = *message {
            return self.left(id, Some(reason));
        } else {
            self.kept.push(Input::Said { agent, at, message });
        }
        Course::GoOn
    }

    fn came(&mut self, agent: &Agent, pid: u32, java: &str, command: &str) {
        if self.search.which.refusal(command).is_some() {
            // The session says why.
            return;
        }
        let name = one_line(&format!("pid {pid} (Java {java}: {command})"));
        let mut jvm = Jvm::new(agent.clone(), pid, name);
        jvm.ask(self.search.needs);
        self.jvms.insert(agent.id, jvm);
    }

    fn surveyed(&mut self, id: u64, answer: ToController) -> Course {
        let Some(jvm) = self.jvms.get_mut(&id) else { return Course::GoOn };
        let look =
            jvm.look(answer, self.search.needs, self.search.loaded, &mut |text| self.progress.note(text));
        match look {
            Look::Known(program) => Course::Found(program, id),
            Look::Again | Look::Without => Course::GoOn,
            Look::Missing { names, findings } => {
                self.findings = Some(findings);
                if !std::mem::replace(&mut self.noted, true) {
                    self.progress.note(&format!(
                        "{} {} not in pid {}: looked through {}; measuring begins when a JVM loads the class",
                        listed(&names),
                        if names.len() == 1 { "is" } else { "are" },
                        jvm.pid,
                        jvm.looked_through()
                    ));
                }
                Course::GoOn
            }
            Look::Wrong(why) if self.search.at_port => Course::Over { why: Some(why), interrupted: false },
            Look::Wrong(why) => {
                // Another JVM of the command may have other classes.
                jvm.ask_at = None;
                if self.said.as_ref() != Some(&why) {
                    self.progress.problem(&why);
                    self.said = Some(why);
                }
                Course::GoOn
            }
        }
    }

    fn left(&mut self, id: u64, reason: Option<ByeReason>) -> Course {
        if let Some(jvm) = self.jvms.remove(&id) {
            if let Some(ByeReason::Failed(why)) = reason {
                self.progress.problem(&one_line(&format!("{}: the agent failed: {why}", jvm.name)));
            }
            self.without.extend(jvm.lacks_classes().then_some(jvm.pid));
            self.gone.push(jvm.described());
        }
        let is_of = |input: &Input| match input {
            Input::Said { agent, .. } => agent.id == id,
            Input::Lost { agent, .. } => *agent == id,
            Input::Unproved { .. } | Input::Ended { .. } | Input::Interrupted | Input::Reload => false,
        };
        self.kept.retain(|input| !is_of(input));
        if self.search.at_port && self.jvms.is_empty() {
            return Course::Over { why: None, interrupted: false };
        }
        Course::GoOn
    }

    /// Asks again where it is time to.
    fn idle(&mut self, ends_at: Option<Instant>) -> Course {
        let now = Instant::now();
        for jvm in self.jvms.values_mut().filter(|jvm| jvm.ask_at.is_some_and(|at| now >= at)) {
            jvm.ask(self.search.needs);
        }
        if ends_at.is_some_and(|at| now >= at) {
            return Course::Over { why: None, interrupted: false };
        }
        Course::GoOn
    }

    fn without(&self) -> Vec<u32> {
        let here = self.jvms.values().filter(|jvm| jvm.lacks_classes()).map(|jvm| jvm.pid);
        self.without.iter().copied().chain(here).collect()
    }

    /// Gives the session the inputs of the JVM with the methods, then all others. Where the others have to wait for
    /// their turn, they are refused, and connect again.
    fn hand_over(mut self, program: Program, first: u64, inputs: &mut Inputs) -> Found {
        let is_first = |input: &Input| matches!(input, Input::Said { agent, .. } if agent.id == first);
        let (before, mut after): (Vec<Input>, Vec<Input>) = self.kept.drain(..).partition(is_first);
        let mut refused = Vec::new();
        if self.search.alone {
            for (id, jvm) in self.jvms.iter().filter(|(id, _)| **id != first) {
                jvm.agent.send(ToAgent::Reject { reason: "another JVM is being measured".to_owned() });
                refused.push(*id);
            }
            after.retain(|input| !matches!(input, Input::Said { agent, .. } if refused.contains(&agent.id)));
        }
        inputs.put_back(before.into_iter().chain(after));
        let classes = self.jvms.remove(&first).and_then(|jvm| jvm.classes).unwrap_or_default();
        Found { program, refused, classes }
    }

    /// The reason why nothing was found; `None` without a JVM.
    fn why(&self) -> Option<String> {
        let Needs::Methods(open) = self.search.needs else { return None };
        let findings = self.findings.as_ref()?;
        let asked: Vec<String> =
            self.gone.iter().cloned().chain(self.jvms.values().map(Jvm::described)).collect();
        let more = asked.len().saturating_sub(DESCRIBED);
        let asked = asked.into_iter().take(DESCRIBED).map(|one| format!("  {one}\n")).collect::<String>();
        let more = if more > 0 { format!("  and {more} more\n") } else { String::new() };
        let findings = open.cannot_be_used(findings);
        Some(format!(
            "{findings}\nno JVM had these classes; spl looked through\n{asked}{more}\
            if a class is loaded late, let the program run longer; its name as the class file has it, \
            as in `com/shop/Cart.add(I)V`, needs no class path"
        ))
    }
}
