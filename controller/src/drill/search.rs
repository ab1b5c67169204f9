//! The search for the reasons of failed claims in one program: the blocks of the claims' methods count for some seconds, and in
//! further rounds the blocks of the methods that these call.

use super::FOR_AN_AGENT;
use super::budget::{counts, cpu_ns};
use super::collected::Profile;
use super::failed::{Share, kinds};
use super::reasons::{ANYWHERE, Counted};
use super::serving::{Orders, collect};
use super::steps::{Cost, Limits, Step, Steps, ns};
use crate::attached;
use crate::cli::Process;
use crate::progress::Progress;
use spl_attach::system::Target;
use spl_model::{DrillKind, OfCalls, Scope};
use spl_profile::counting;
use spl_session::measure::Inputs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longest time that the methods of a round count.
const ROUND: Duration = Duration::from_secs(2);
/// Calls of each method of the claims that end a round sooner.
const ENOUGH: u64 = 100;

/// Where and how long to look.
#[derive(Debug)]
pub struct Look<'a> {
    /// The program, and the claims that fail in it.
    pub share: &'a Share,
    /// Folder of the results.
    pub folder: &'a Path,
    /// Share of the program's time that counting may take, from 0 to 1; `None` without a limit.
    pub budget: Option<f64>,
    /// Time for all rounds together.
    pub longest: Duration,
}

/// A search that is over.
#[derive(Debug)]
pub struct Search {
    /// The counts.
    pub known: Counted,
    /// Number of rounds.
    pub rounds: u64,
    /// Why it ended before all methods were counted.
    pub cut: Option<String>,
}

/// The way to the program's agent. It has a socket of its own: other programs of the measurement wait at theirs.
struct Way {
    target: Arc<Target>,
    library: PathBuf,
    socket: PathBuf,
    inputs: Inputs,
}

/// Result of a round.
struct Round {
    profiles: Vec<Profile>,
    /// Why no other round can follow.
    cut: Option<String>,
    /// Why it ended.
    reason: String,
    /// CPU time that the program used meanwhile, nanoseconds.
    program_cpu_ns: Option<u64>,
}

/// Counts what the methods of the claims run. Every class has its own bytes again afterwards. An interrupt ends it, also one that
/// came to the `outer` inputs before the search had its own.
///
/// # Errors
/// When the program cannot be reached; one line of text.
pub async fn search(look: &Look<'_>, steps: &mut Steps, outer: &mut Inputs) -> Result<Search, String> {
    let mut known = Counted::of(&look.share.claims);
    let roots: Vec<String> = known.apart.keys().cloned().collect();
    let mut claims: Vec<&str> = look.share.claims.iter().map(|one| &*one.claim).collect();
    claims.dedup();
    let reason = kinds(&look.share.claims);
    let limits = Limits { longest_ns: ns(look.longest), budget: look.budget };
    steps.write(&Step { claims, methods: &roots, limits: Some(limits), reason, ..look.step("begin") });
    let came = within(look, &mut known, steps, outer).await;
    let reason = match &came {
        Ok((_, None)) => "no method is left that could be counted",
        Ok((_, Some(cut))) => cut,
        Err(why) => why,
    };
    steps.write(&Step { reason: reason.to_owned(), ..look.step("end") });
    came.map(|(rounds, cut)| Search { known, rounds, cut })
}

/// Opens the way to the agent for the search. Gives the number of rounds, and why it ended early.
async fn within(
    look: &Look<'_>,
    known: &mut Counted,
    steps: &mut Steps,
    outer: &mut Inputs,
) -> Result<(u64, Option<String>), String> {
    let pid = look.share.pid;
    let target = Arc::new(attached::target(&Process { pid: Some(pid), text: None })?);
    let agent = target.mapped().agents.into_iter().next();
    // A program in another container has given a number that means another process here, or none.
    let library = agent.filter(|_| !attached::is_elsewhere(&target)).ok_or_else(|| {
        format!(
            "the agent is not in process {pid} here; if the program is in a container of its own, spl has to be in the same one"
        )
    })?;
    target.approach().map_err(|why| why.to_string())?;
    let (door, socket) = attached::socket(&target, look.folder)?;
    let inputs = Inputs::new()?;
    let door = tokio::spawn(door.accept(inputs.sender()));
    let watch = tokio::spawn(attached::watch(Arc::clone(&target), inputs.sender()));
    let mut way = Way { target, library, socket, inputs };
    let came = rounds(look, known, (&mut way, outer), steps).await;
    door.abort();
    watch.abort();
    Ok(came)
}

/// Counts in rounds; each round has the methods that those of the rounds before call.
async fn rounds(
    look: &Look<'_>,
    known: &mut Counted,
    (way, outer): (&mut Way, &mut Inputs),
    steps: &mut Steps,
) -> (u64, Option<String>) {
    let until = Instant::now() + look.longest;
    let mut joining = known.first();
    let mut number = 0;
    let mut reason = "the methods of the claims";
    let mut is_first = true;
    loop {
        let cut = end(way, outer, until);
        let groups = known.groups();
        if joining.is_empty() && cut.is_none() {
            for roots in &groups {
                let left = until.saturating_duration_since(Instant::now()).min(ROUND);
                if left.is_zero() {
                    break;
                }
                number += arcs(look, (known, roots), (way, steps), left, number + 1).await;
            }
        }
        if joining.is_empty() || cut.is_some() {
            let cut = cut.filter(|_| !joining.is_empty()).map(str::to_owned);
            known.forget(&joining);
            return (number, cut);
        }
        let (mut was_called, mut is_nested) = (true, false);
        for roots in &groups {
            let left = until.saturating_duration_since(Instant::now()).min(ROUND);
            if is_nested || left.is_zero() {
                break;
            }
            number += 1;
            let kind = (DrillKind::Blocks, reason);
            let scope = known.scope(&joining, roots);
            let (profiles, cut) = logged(look, (way, steps), kind, (&joining, scope), left, number).await;
            for profile in &profiles {
                is_nested |= known.note_nested(profile, roots);
                was_called &= known.add(profile, roots);
            }
            if let Some(cut) = cut {
                known.forget(&joining);
                return (number, Some(cut));
            }
        }
        if is_nested {
            known.restart();
            joining = known.first();
            is_first = true;
            reason = "the methods of the claims call each other, so they count one after another";
            continue;
        }
        let everywhere = joining.iter().filter_map(|pattern| pattern.strip_prefix(ANYWHERE));
        everywhere.for_each(|member| known.counted_everywhere(member));
        let again = if was_called { Vec::new() } else { joining };
        joining = known.next();
        reason = if again.is_empty() {
            "methods that the counted ones call"
        } else {
            "not every method was called"
        };
        // A method that is called seldom is waited for, and so is what it calls.
        joining.extend(known.apart.keys().filter(|root| !known.whole.has(root)).cloned());
        joining.extend(again);
        if std::mem::take(&mut is_first) && known.divide() && joining.is_empty() {
            joining = known.first();
            reason = "the workload sizes of their calls vary";
        }
    }
}

/// Why no round can begin, if so.
fn end(way: &mut Way, outer: &mut Inputs, until: Instant) -> Option<&'static str> {
    if way.inputs.is_interrupted() || outer.is_interrupted() {
        Some("it was interrupted")
    } else if !way.target.is_alive() {
        Some("the program ended")
    } else {
        (Instant::now() >= until).then_some("its time was over (--drill-for)")
    }
}

/// The last round, if counts alone cannot tell some calls apart: it counts arcs of the call graph. Gives the number of rounds.
async fn arcs(
    look: &Look<'_>,
    (known, roots): (&mut Counted, &[String]),
    (way, steps): (&mut Way, &mut Steps),
    longest: Duration,
    number: u64,
) -> u64 {
    let methods = known.shared_out();
    if methods.is_empty() {
        return 0;
    }
    // Without arcs calls are shared out.
    let kind = (DrillKind::Calls(OfCalls::Entered), "calls by interfaces that counts cannot tell apart");
    let scope = known.scope(&methods, roots);
    let (profiles, _) = logged(look, (way, steps), kind, (&methods, scope), longest, number).await;
    profiles.iter().for_each(|profile| known.add_arcs(profile, roots, &methods));
    1
}

/// One round with its steps; `reason` says why these methods. Gives the counts, and why no other round can follow.
async fn logged(
    look: &Look<'_>,
    (way, steps): (&mut Way, &mut Steps),
    (what, reason): (DrillKind, &str),
    (joining, scope): (&[String], Scope),
    longest: Duration,
    number: u64,
) -> (Vec<Profile>, Option<String>) {
    let step = || Step { round: Some(number), ..look.step("") };
    steps.write(&Step { action: "round", methods: joining, reason: reason.to_owned(), ..step() });
    let Round { profiles, cut, reason: end, program_cpu_ns } = round(look, way, what, scope, longest).await;
    let cost = Cost { program_cpu_ns, ..cost(&profiles) };
    steps.write(&Step { action: "end-round", cost: Some(cost), reason: end, ..step() });
    let restored = cut.as_deref().unwrap_or("every class has its own bytes again");
    steps.write(&Step { action: "restore", reason: restored.to_owned(), ..step() });
    (profiles, cut)
}

/// One round.
async fn round(look: &Look<'_>, way: &mut Way, what: DrillKind, scope: Scope, longest: Duration) -> Round {
    let orders = Orders {
        what,
        scope,
        longest: Some(longest),
        enough: Some(ENOUGH),
        budget: look.budget,
        tracing: None,
        listens: false,
        heap: false,
        every: None,
        first_by: Some(Instant::now() + FOR_AN_AGENT),
    };
    let Way { target, library, socket, inputs } = way;
    let none = |why: String| Round {
        profiles: Vec::new(),
        cut: Some(why.clone()),
        reason: why,
        program_cpu_ns: None,
    };
    if let Err(why) = attached::enter(target, Some(library.clone()), library, socket) {
        return none(why);
    }
    let before = cpu_ns(look.share.pid);
    // Methods that are too dear for the budget tell enough before they stop.
    let collected = collect(&orders, inputs, &Progress::new(true)).await;
    let program_cpu_ns =
        cpu_ns(look.share.pid).zip(before).map(|(after, before)| after.saturating_sub(before));
    let left = if target.is_alive() { attached::leave_ours(target, library, socket) } else { Ok(()) };
    match collected {
        Ok(counted) => {
            let profiles = counted.profiles;
            let reason = if !target.is_alive() {
                "the program ended".to_owned()
            } else if inputs.is_interrupted() {
                "it was interrupted".to_owned()
            } else if profiles.iter().any(has_enough) {
                format!("each method of the claims had {ENOUGH} calls")
            } else if profiles.is_empty() {
                "no loaded class has these methods".to_owned()
            } else {
                "its time was over".to_owned()
            };
            Round { profiles, cut: left.err(), reason, program_cpu_ns }
        }
        Err(why) => Round { program_cpu_ns, ..none(why) },
    }
}

fn has_enough(profile: &Profile) -> bool {
    !profile.apart.is_empty() && profile.apart.iter().all(|one| one.has_calls(ENOUGH))
}

/// Extent and cost of the counting.
fn cost(profiles: &[Profile]) -> Cost {
    let mut cost = Cost::default();
    for profile in profiles {
        cost.classes.extend(profile.classes.iter().map(|class| class.name.clone()));
        cost.calls.extend(profile.apart.iter().map(|one| one.calls));
        cost.stopped.extend(profile.stopped.keys().cloned());
        cost.change_ns += profile.changed.1;
        let all = profile.classes.iter().flat_map(|class| counting(profile.what, class).unwrap_or_default());
        let counted = all.map(|(_, numbers)| counts(&numbers, &profile.values));
        cost.counts = counted.fold(cost.counts, u64::wrapping_add);
    }
    cost
}

impl Look<'_> {
    /// A step in this program.
    fn step(&self, action: &'static str) -> Step<'_> {
        Step { action, pid: self.share.pid, program: &self.share.name, ..Step::default() }
    }
}
