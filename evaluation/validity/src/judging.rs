//! `spl-validity judge` and `spl-validity families`: runs that are recorded in no time, judged by the product.

use crate::Claims;
use clap::Args;
use serde_json::{Value, json};
use spl_validity::catalogue::PROCESSES;
use spl_validity::claims::Scenario;
use spl_validity::interval::is_too_many;
use spl_validity::judged::Judge;
use spl_validity::processes::Process;
use spl_validity::wrong::{Family, LIMIT, Outcome, Plan, Tally, family, outcome};
use std::path::PathBuf;

/// What every judgement takes.
#[derive(Debug, Args)]
pub struct Common {
    /// The controller.
    #[arg(long)]
    spl: PathBuf,
    /// Settings that the runs are judged by: the text of a splserver.ini, with ; for the ends of its lines.
    #[arg(long, default_value = "")]
    settings: String,
    /// Only processes with this in their name.
    #[arg(long, default_value = "")]
    only: String,
    /// Windows in a run, after each of which the product looks.
    #[arg(long, default_value_t = 100)]
    windows: usize,
    /// Decides all.
    #[arg(long, default_value_t = 20_150_731)]
    seed: u64,
}

/// How often claims of each kind are decided wrongly, and how often they are decided.
#[derive(Debug, Args)]
pub struct Judging {
    #[command(flatten)]
    common: Common,
    /// Runs of each process.
    #[arg(long, default_value_t = 1000)]
    runs: u64,
    /// Parts of a run after which it is judged as if it had ended there; a claim is wrong when it is at any of them.
    #[arg(long, value_delimiter = ',', num_args = 0..)]
    parts: Vec<f64>,
    /// Say what came of each claim.
    #[arg(long)]
    each: bool,
}

/// How often any of many claims is decided wrongly.
#[derive(Debug, Args)]
pub struct Families {
    #[command(flatten)]
    common: Common,
    /// Runs of each family.
    #[arg(long, default_value_t = 300)]
    runs: u64,
    /// Pairs of equal methods.
    #[arg(long, default_value_t = 100)]
    equal: usize,
    /// Pairs that differ.
    #[arg(long, default_value_t = 10)]
    different: usize,
}

impl Common {
    fn plan(&self, runs: u64, parts: &[f64]) -> Plan {
        let settings = self.settings.replace(';', "\n");
        Plan { runs, windows: self.windows, settings, parts: parts.to_vec(), seed: self.seed }
    }

    fn judge(&self) -> Result<Judge, String> {
        let spl = self.spl.canonicalize().map_err(|e| format!("cannot find {}: {e}", self.spl.display()))?;
        Ok(Judge { spl })
    }

    fn processes(&self) -> impl Iterator<Item = &'static Process> {
        PROCESSES.iter().filter(|process| process.name.contains(&self.only))
    }
}

impl Judging {
    pub fn run(&self, claims: &mut Claims) -> Result<Value, String> {
        let plan = self.common.plan(self.runs, &self.parts);
        let judge = self.common.judge()?;
        let mut outcomes = Vec::new();
        for process in self.common.processes() {
            for scenario in [Scenario::Limit, Scenario::Clear] {
                let outcome = outcome(&judge, process, scenario, &plan)?;
                self.say(&outcome, claims);
                outcomes.push(outcome);
            }
        }
        Ok(json!({ "schema": "spl.judged/1", "plan": plan, "outcomes": outcomes }))
    }

    fn say(&self, outcome: &Outcome, claims: &mut Claims) {
        let Outcome { process, scenario, claims: tallies, contradictions } = outcome;
        let scenario = if *scenario == Scenario::Limit { "at the limit" } else { "20% from the limit" };
        if let Some(worst) = worst(tallies) {
            let failed = tallies.iter().filter(|tally| tally.is_too_often_wrong()).count();
            let decided: u64 = tallies.iter().map(|tally| tally.decided).sum();
            let share = 100.0 * decided as f64 / (self.runs * tallies.len() as u64) as f64;
            let text = format!(
                "{process}, {} claims {scenario}: {failed} too often wrong, most often `{}`, {}; {share:.0}% decided",
                tallies.len(),
                worst.claim.name,
                of(worst.wrong, worst.runs, worst.wrong_interval),
            );
            claims.say(failed == 0, &text);
        }
        if *contradictions > 0 {
            let text = format!(
                "{process} {scenario}: a line and an assertion of the same text differ in {contradictions} of {} runs",
                self.runs
            );
            claims.say(false, &text);
        }
        for tally in tallies.iter().filter(|tally| self.each || tally.is_too_often_wrong()) {
            let wrong = of(tally.wrong, tally.runs, tally.wrong_interval);
            let decided = of(tally.decided, tally.runs, tally.decided_interval);
            println!(
                "       `{}` ({}): wrong {wrong}, decided {decided}",
                tally.claim.name, tally.claim.truth
            );
        }
    }
}

/// The claim that is most above its level.
fn worst(tallies: &[Tally]) -> Option<&Tally> {
    let rate = |tally: &Tally| tally.wrong as f64 / tally.claim.level;
    tallies.iter().max_by(|one, other| rate(one).total_cmp(&rate(other)))
}

fn of(count: u64, all: u64, [low, high]: [f64; 2]) -> String {
    let percent = 100.0 * count as f64 / all as f64;
    format!("{percent:.1}% [{:.1}, {:.1}]", 100.0 * low, 100.0 * high)
}

impl Families {
    pub fn run(&self, claims: &mut Claims) -> Result<Value, String> {
        let plan = self.common.plan(self.runs, &[]);
        let judge = self.common.judge()?;
        let members = [self.equal, self.different];
        let mut families = Vec::new();
        for process in self.common.processes() {
            for sign in ["<", "<=", "="] {
                let family = family(&judge, process, sign, members, &plan)?;
                let Family { wrong, runs, wrong_interval, found, .. } = family;
                let text = format!(
                    "{process}: any of {} equal and {} different pairs decided wrongly about `{sign}`: {}; {:.0}% of the \
                     differences found",
                    members[0],
                    members[1],
                    of(wrong, runs, wrong_interval),
                    100.0 * found,
                    process = process.name,
                );
                claims.say(!is_too_many(wrong, runs, LIMIT), &text);
                families.push(json!({ "process": process.name, "sign": sign, "family": family }));
            }
        }
        Ok(json!({ "schema": "spl.families/1", "plan": plan, "families": families }))
    }
}
