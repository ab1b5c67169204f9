//! Facts and events of a run (`context.json`), for its report.

use crate::cost::Cost;
use crate::output::Older;
use crate::setup::Setup;
use spl_lang::ast::{Percent, Statistic};
use spl_lang::{Assertion, Atom, Scaled};
use spl_model::Sizing;
use spl_records::Context;
use spl_records::context::{
    Asked, Asserting, Counts, End, LiveChange, Measured, MethodFacts, Operand, Relating,
};
use spl_scheduler::{Scheduler, Status};
use spl_verdict::Correction;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Name of the file, which lies in the folder of the results.
pub const CONTEXT_FILE: &str = "context.json";

/// Subject of a remark on a method; a method has at most one remark on each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum About {
    /// Whether the method can be measured.
    Availability,
    /// Code of the method with probes.
    Code,
    /// Cost of the method's probes.
    Cost,
    /// Changes that another agent made to the method.
    Neighbour,
}

/// The context of the current run.
#[derive(Debug)]
pub struct ContextFile {
    path: PathBuf,
    context: Context,
    /// By method.
    remarks: BTreeMap<(usize, About), String>,
    began: Option<Instant>,
    end: End,
}

impl ContextFile {
    /// Context of a run of this setup whose files already hold the records `older`. A resumed run continues
    /// its earlier context.
    pub fn new(setup: &Setup, older: &Older) -> Self {
        let config = &setup.config;
        let path = config.result_file.with_file_name(CONTEXT_FILE);
        let goes_on = || Context::from_json(&fs::read_to_string(&path).ok()?).ok();
        let before = goes_on().filter(|context| older.goes_on && context.is_of(&setup.tasks_hash));
        let settings = setup.settings.clone();
        let program = &setup.program;
        let asked = |one: &spl_lang::Comparison| Asked {
            line: one.line,
            left: one.left,
            sign: one.sign,
            left_factor: one.left_factor,
            right_factor: one.right_factor,
            right: one.right,
        };
        let asserting = |one: &Assertion| Asserting {
            line: one.line,
            title: one.title.clone(),
            text: setup.quote(one.span).to_owned(),
            methods: one.methods(),
            relations: relations(one),
        };
        let method = |task: &spl_lang::MeasuredMethod| MethodFacts {
            method: task.method.to_string(),
            remark: None,
            lack: None,
            counts: None,
        };
        let context = Context {
            tasks: setup.tasks_hash.to_string(),
            spl: env!("CARGO_PKG_VERSION").to_owned(),
            tasks_file: config.tasks_file.display().to_string(),
            result_file: config.result_file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            measurements: from_beside(&config.result_file, &config.output_dir),
            older_bytes: before.as_ref().map_or(older.bytes, |before| before.older_bytes),
            began_unix_ms: before.as_ref().map_or(0, |before| before.began_unix_ms),
            changes: before.as_ref().map(|before| before.changes.clone()).unwrap_or_default(),
            programs: before.map(|before| before.programs).unwrap_or_default(),
            paired: config.scheduler.paired.is_some(),
            judge: config.judge.to_string(),
            correction: match config.correction {
                Correction::None => "none",
                Correction::Holm => "holm",
                Correction::BenjaminiHochberg => "bh",
            }
            .to_owned(),
            limit_p: config.scheduler.limit_p,
            min_samples: config.scheduler.min_samples,
            max_samples: config.scheduler.max_samples,
            scale: (config.argument_size != Sizing::None).then_some(config.scheduler.scale),
            budget: config.overhead_budget,
            settings,
            comparisons: program.tasks.comparisons.iter().map(asked).collect(),
            assertions: program.assertions.iter().map(asserting).collect(),
            methods: program.tasks.methods.iter().map(method).collect(),
            end: None,
        };
        Self { path, context, remarks: BTreeMap::new(), began: None, end: End::default() }
    }

    /// Notes that a program has connected.
    pub fn met(&mut self, program: Measured) {
        self.began.get_or_insert_with(Instant::now);
        if self.context.began_unix_ms == 0 {
            self.context.began_unix_ms = now_unix_ms();
        }
        self.context.programs.push(program);
    }

    /// Sets the time that a call of an empty method reports in a program, by the clock's speed over the measurement.
    pub fn probe_took(&mut self, pid: u32, empty_ps: u64) {
        let program = self.context.programs.iter_mut().rfind(|program| program.pid == pid);
        program.into_iter().for_each(|program| program.probe_empty_ps = Some(empty_ps));
    }

    /// Sets the remark on a method about this subject and replaces an older one. Says whether the text is
    /// new.
    pub fn remark(&mut self, method: usize, about: About, text: String) -> bool {
        let before = self.remarks.insert((method, about), text.clone());
        self.tell_remarks(method);
        before.as_ref() != Some(&text)
    }

    /// Removes the remark on a method about this subject.
    pub fn no_remark(&mut self, method: usize, about: About) {
        self.remarks.remove(&(method, about));
        self.tell_remarks(method);
    }

    fn tell_remarks(&mut self, method: usize) {
        let Some(facts) = self.context.methods.get_mut(method) else { return };
        let all = self.remarks.range((method, About::Availability)..=(method, About::Neighbour));
        let all = all.map(|(_, text)| text.as_str()).collect::<Vec<_>>();
        facts.remark = (!all.is_empty()).then(|| all.join("; "));
    }

    /// Notes a change of tasks or settings in the running measurement.
    pub fn changed_live(&mut self, text: String) {
        self.context.changes.push(LiveChange { at_unix_ms: now_unix_ms(), text });
    }

    /// The changes of tasks and settings so far.
    pub fn changes(&self) -> &[LiveChange] {
        &self.context.changes
    }

    /// Sets the changes of tasks and settings before this session.
    pub fn set_changes(&mut self, changes: Vec<LiveChange>) {
        self.context.changes = changes;
    }

    /// Notes a change of classes, which took this number of nanoseconds.
    pub fn changed(&mut self, took_ns: u64) {
        self.end.changes += 1;
        self.end.changes_ns = self.end.changes_ns.saturating_add(took_ns);
    }

    /// Sets the bytes of the program's metaspace that changes of classes keep, and the most that they may
    /// keep.
    pub fn metaspace(&mut self, kept: u64, limit: u64) {
        self.end.metaspace_kept = Some(kept);
        self.end.metaspace_limit = Some(limit);
    }

    /// Sets the facts that are known at the end; `costs` are those of the run's programs, known under a
    /// budget.
    pub fn ended(&mut self, scheduler: &Scheduler, lost: u64, costs: &[&Cost], problems: &[String]) {
        for (facts, progress) in self.context.methods.iter_mut().zip(scheduler.progress()) {
            facts.lack = scheduler.lack(progress.method);
            facts.counts = Some(Counts {
                kept: progress.samples,
                discarded: progress.discarded,
                surplus: progress.surplus,
                late: progress.late,
                dropped: progress.dropped,
                finished: progress.status == Status::Finished,
                every: progress.every,
            });
        }
        let lasted = self.began.map(|began| began.elapsed()).unwrap_or_default();
        self.context.end = Some(End {
            lasted_ns: u64::try_from(lasted.as_nanos()).unwrap_or(u64::MAX),
            lost,
            cpu_ns: sum(costs.iter().filter_map(|cost| cost.cpu_ns())),
            agent_ns: sum(costs.iter().map(|cost| cost.agent_ns())),
            probes_ns: sum(costs.iter().map(|cost| cost.probes_ns())),
            sizes_ns: sum(costs.iter().map(|cost| cost.sizes_ns())),
            problems: problems.to_vec(),
            ..self.end.clone()
        });
    }

    /// Writes the file; a crash leaves the old one or the new one.
    ///
    /// # Errors
    /// When writing fails; one line of text.
    pub fn write(&self) -> Result<(), String> {
        crate::files::write_whole(&self.path, self.context.to_json().as_bytes())
            .map_err(|error| format!("cannot write {}: {error}", self.path.display()))
    }
}

fn now_unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The comparisons of an assertion.
fn relations(assertion: &Assertion) -> Vec<Relating> {
    let operand = |Scaled { method, statistic, factor }: Scaled| Operand {
        method,
        factor,
        share: match statistic {
            Statistic::Mean => None,
            Statistic::Median => Some(0.5),
            Statistic::Percentile(percent) => Some(percent / 100.0),
        },
    };
    let within = |within: Option<Percent>| within.map(Percent::fraction);
    let mut relations = Vec::new();
    assertion.formula.value.for_each(&mut |atom| {
        relations.push(match *atom {
            Atom::Pair { left, sign, right, within: tolerance } => Relating {
                left: operand(left),
                sign,
                right: Some(operand(right)),
                bound_ns: None,
                within: within(tolerance),
            },
            Atom::Bound { times, sign, bound_ns, within: tolerance } => Relating {
                left: operand(times),
                sign,
                right: None,
                bound_ns: Some(bound_ns),
                within: within(tolerance),
            },
        });
    });
    relations
}

/// The path of a folder as seen from the folder of a file; absolute when it lies elsewhere.
fn from_beside(file: &Path, folder: &Path) -> String {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (file, folder) = (absolute(file), absolute(folder));
    let relative = file.parent().and_then(|parent| folder.strip_prefix(parent).ok());
    relative.unwrap_or(&folder).display().to_string()
}

/// The sum; `None` without any item.
fn sum(all: impl Iterator<Item = u64>) -> Option<u64> {
    all.reduce(u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_are_found_from_the_results() {
        let check = |file, folder, expected: &str| {
            assert_eq!(from_beside(Path::new(file), Path::new(folder)), expected)
        };
        check("out/result.eval", "out/measurements", "measurements");
        check("out/result.eval", "out", "");
        check("/a/result.eval", "/b/c", "/b/c");
    }
}
