//! `--spec`: a file in the language of \*J chooses what a drill records and counts.

use crate::drilled::regular;
use crate::numbers::number;
use crate::progress::Progress;
use crate::said::say;
use crate::stdout;
use crate::tallies::{collected, jvms};
use spl_analysis::sj::{self, Interest, Plan};
use spl_analysis::{Library, Space};
use spl_lang::{Diagnostic, Severity};
use spl_model::{DrillKind, one_line};
use spl_verdict::ExitStatus;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Most bytes of a file.
const MOST_BYTES: u64 = 1 << 16;
/// Most findings that are shown.
const SHOWN: usize = 20;

/// A file's choice.
pub struct Chosen {
    /// Kinds of drill, to go together.
    pub kinds: Vec<DrillKind>,
    interest: Interest,
}

/// Reads a file. Events that no drill has are said.
///
/// # Errors
/// When the file cannot be read or used; text for the operator.
pub fn choose(path: &Path, no_classes: bool, progress: &Progress) -> Result<Chosen, String> {
    let spec = Spec::read(path)?;
    let (interest, planned) = spec.planned(&mut |warning| progress.note(warning))?;
    let plan = planned?;
    if no_classes && plan.has_files {
        return Err(format!(
            "--no-classes keeps no class files, and {} wants them (ClassLoadHook); leave one of both out",
            spec.name
        ));
    }
    progress.note(&format!("{}: {}", spec.name, taken(&plan)));
    let is_both = plan.kind == (DrillKind::Trace { blocks: true });
    let kinds = if is_both { vec![plan.kind, DrillKind::Blocks] } else { vec![plan.kind] };
    Ok(Chosen { kinds, interest })
}

impl Chosen {
    /// Says how often each counted event happened in each JVM of a finished drill.
    pub fn say_totals(&self, folder: &Path, progress: &Progress) {
        if !self.interest.events().any(|(number, _)| self.interest.is_counted(number)) {
            return;
        }
        for folder in jvms(folder) {
            let collected = collected(&folder, Space::usual(&Library::default()));
            match collected.map(|(_, collected)| sj::totals(&self.interest, &collected)) {
                Err(why) => progress.note(&format!("counted events have no totals: {why}")),
                Ok(totals) => totals.iter().for_each(|(event, total)| {
                    let most = if total.most == u64::MAX { "more".to_owned() } else { number(total.most) };
                    let to = if total.is_exact() { String::new() } else { format!(" to {most}") };
                    progress.note(&format!("counted {event}: {}{to}", number(total.least)));
                }),
            }
        }
    }
}

/// Prints what a file means.
///
/// # Errors
/// When the file cannot be read or used; text for the operator.
pub fn show(path: &Path) -> Result<ExitStatus, String> {
    let spec = Spec::read(path)?;
    let (interest, planned) = spec.planned(&mut say)?;
    let head = planned.as_ref().map(|plan| format!("# {}\n", taken(plan))).unwrap_or_default();
    stdout::print(&format!("{head}{interest}"))?;
    planned.map(|_| ExitStatus::AllHold)
}

/// The drill of a plan, as text.
fn taken(plan: &Plan) -> String {
    let blocks = if plan.kind == (DrillKind::Trace { blocks: true }) { ",blocks" } else { "" };
    let besides = match &plan.besides[..] {
        [] => String::new(),
        events => format!(", which has {} too", events.join(" and ")),
    };
    format!("this is `spl drill --what {}{blocks}`{besides}", plan.kind.name())
}

/// A file that was read.
struct Spec {
    name: String,
    text: String,
}

impl Spec {
    fn read(path: &Path) -> Result<Self, String> {
        let name = one_line(&path.display().to_string());
        regular(path)?;
        let mut text = String::new();
        let file = File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_string(&mut text));
        file.map_err(|error| format!("cannot read the specification {name}: {error}"))?;
        if text.len() as u64 > MOST_BYTES {
            return Err(format!(
                "{name} has more than {MOST_BYTES} bytes; a specification has some lines for each event"
            ));
        }
        Ok(Self { name, text })
    }

    /// The wanted events, with the drill for them or why there is none. Warnings are said, a line each.
    fn planned(&self, say: &mut dyn FnMut(&str)) -> Result<(Interest, Result<Plan, String>), String> {
        let expansion = sj::parse(&self.text).and_then(|tree| sj::expand(&self.text, &tree));
        let expansion = expansion.map_err(|found| self.unusable(&found, say))?;
        self.warn(&expansion.warnings, say);
        let planned = sj::plan(&self.text, &expansion);
        let planned = planned.inspect(|plan| self.warn(&plan.warnings, say));
        let planned = planned.map_err(|found| self.unusable(&found, say));
        Ok((expansion.interest, planned))
    }

    fn warn(&self, found: &[Diagnostic], say: &mut dyn FnMut(&str)) {
        for one in found.iter().filter(|one| one.severity == Severity::Warning) {
            let help = one.help.as_ref().map_or_else(String::new, |help| format!("; {help}"));
            say(&format!("{}:{one}{help}", self.name));
        }
    }

    /// Says the warnings, and makes text of the errors.
    fn unusable(&self, found: &[Diagnostic], say: &mut dyn FnMut(&str)) -> String {
        self.warn(found, say);
        let errors: Vec<&Diagnostic> = found.iter().filter(|one| one.severity == Severity::Error).collect();
        let shown = errors.iter().take(SHOWN).map(|one| one.render(&self.name, &self.text));
        let shown = shown.collect::<Vec<_>>().join("\n");
        let more = if errors.len() > SHOWN { "\nfurther errors are not shown" } else { "" };
        format!("the specification {} cannot be used\n{shown}{more}", self.name)
    }
}
