//! `spl-validity cases`: recorded runs that were judged wrongly once.

use crate::claiming::Claims;
use clap::Args;
use serde_json::{Value, json};
use spl_validity::judged::{Decision, Judge};
use std::fs;
use std::path::{Path, PathBuf};

/// Recorded runs that were judged wrongly once, by the settings that they were recorded with and by the default ones.
#[derive(Debug, Args)]
pub struct Cases {
    /// The controller.
    #[arg(long)]
    spl: PathBuf,
    /// Where they lie, with `expected.txt`.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/cases"))]
    folder: PathBuf,
}

/// A line of `expected.txt`.
struct Expected {
    folder: String,
    tasks: String,
    claim: String,
    right: Vec<Decision>,
    why: String,
}

impl Cases {
    pub fn run(&self, claims: &mut Claims) -> Result<Value, String> {
        let spl = self.spl.canonicalize().map_err(|e| format!("cannot find {}: {e}", self.spl.display()))?;
        let judge = Judge { spl };
        let default = tempfile::NamedTempFile::new().map_err(|e| format!("cannot make a file: {e}"))?;
        let list = self.folder.join("expected.txt");
        let text = fs::read_to_string(&list).map_err(|e| format!("cannot read {}: {e}", list.display()))?;
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut all = Vec::new();
        for line in lines {
            let expected = parsed(line)
                .ok_or_else(|| format!("{} has a line that cannot be read: {line}", list.display()))?;
            let folder = self.folder.join(&expected.folder);
            for (settings, config) in
                [("its own", folder.join("c.ini").as_path()), ("default", default.path())]
            {
                let decision = decided(&judge, &folder, config, &expected)?;
                let is_right = expected.right.contains(&decision);
                let Expected { folder, tasks, claim, why, .. } = &expected;
                let verdict = name(decision);
                let text = format!("{folder}, {tasks}, {settings} settings: `{claim}` is {verdict}: {why}");
                claims.say(is_right, &text);
                all.push(json!({ "case": folder, "tasks": tasks, "claim": claim, "settings": settings,
                    "verdict": verdict, "right": is_right }));
            }
        }
        Ok(json!({ "schema": "spl.cases/1", "cases": all }))
    }
}

fn decided(judge: &Judge, folder: &Path, config: &Path, expected: &Expected) -> Result<Decision, String> {
    let decisions = judge.eval(config, &folder.join(&expected.tasks), &folder.join("ms"))?;
    decisions
        .get(&expected.claim)
        .copied()
        .ok_or_else(|| format!("spl eval says nothing of {}", expected.claim))
}

fn parsed(line: &str) -> Option<Expected> {
    // A claim may have a bar in it, but not one between spaces.
    let mut fields = line.split(" | ").map(str::to_owned);
    let (folder, tasks, claim) = (fields.next()?, fields.next()?, fields.next()?);
    let right = fields.next()?;
    let decisions = [Decision::Holds, Decision::Undecided, Decision::Fails];
    let is_named = |decision: &Decision| right.split(' ').any(|word| word == name(*decision));
    let right: Vec<Decision> = decisions.into_iter().filter(is_named).collect();
    (!right.is_empty()).then_some(Expected { folder, tasks, claim, right, why: fields.next()? })
}

fn name(decision: Decision) -> &'static str {
    match decision {
        Decision::Holds => "holds",
        Decision::Undecided => "undecided",
        Decision::Fails => "fails",
    }
}
