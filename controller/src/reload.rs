//! Tasks and settings that are read again while a program is measured (SIGHUP).

use crate::cli::Common;
use crate::reading;
use crate::reports;
use crate::tasks::{Meaning, Open};
use spl_classes::Catalogue;
use spl_lang::RunMode;
use spl_records::context::Setting;
use spl_session::carry::{self, Differences, Kept};
use spl_session::config::{Config, Judge};
use spl_session::measure::{self, Inputs, Returned};
use spl_session::numbered;
use spl_session::output::Output;
use spl_session::resume::Resumed;
use spl_session::session::{Handed, Session};
use spl_session::setup::Setup;
use spl_session::until::Until;
use spl_verdict::Correction;
use std::ffi::OsString;
use std::path::Path;

/// Keys that may change in a running measurement: no verdict depends on them. The other keys decide which calls count
/// or when the evidence suffices, and choosing these after calls were seen would make verdicts too certain.
const CHANGEABLE: [&str; 9] = [
    "cycle-sleep",
    "overhead-budget",
    "changes-per-minute",
    "suspend-restore-after",
    "instrument-ahead",
    "settle-time",
    "max-method-measurements",
    "measurements-to-flush",
    "metaspace-limit",
];
/// Keys whose values the choice of a numbered folder changes.
const FOLDERS: [&str; 2] = ["output-dir", "result-file-path"];
/// Most claims or methods that a message names.
const MOST_NAMED: usize = 5;

/// Another measurement of the same JVMs, with other tasks or settings.
#[derive(Debug)]
pub struct Successor {
    /// Its setup, before a folder was chosen.
    pub base: Setup,
    /// Its setup with a folder, and the files there. `None` where no JVM was measured yet: then it takes the folder of
    /// the session that it replaces.
    pub files: Option<(Setup, Output, Option<Resumed>)>,
    /// Parts of that session.
    pub handed: Handed,
    /// Its tasks where a running JVM is needed to know their methods.
    pub open: Option<Open>,
}

/// Reads tasks and settings again, and ends a session if they have changed. `None` after a mistake, which is reported,
/// and where nothing has changed: the session goes on as it was.
fn reload(
    session: &mut Session<'_>,
    old: &Setup,
    (common, command, until): (&Common, &[OsString], &Until),
    jvm: &mut Catalogue,
) -> Option<Successor> {
    let read = Next::read(old, (common, command), jvm, &mut |text| session.note(text)).and_then(|next| {
        next.setup.can_be_decided(until)?;
        let files = if next.has_changed() { next.files(session, old)? } else { None };
        Ok((next, files))
    });
    let (next, files) = match read {
        Ok(read) => read,
        Err(why) => {
            // A line of its own would begin as that of an error by which a run fails.
            session.note(&format!("tasks and settings stay as they were: {}", why.replace('\n', "\n  ")));
            return None;
        }
    };
    next.stays.iter().for_each(|text| session.note(text));
    if !next.has_changed() {
        session.note("tasks and settings were read again: nothing that can change has changed");
        return None;
    }
    next.changes.iter().for_each(|text| session.changed(text));
    if let Some((setup, ..)) = &files {
        let folder = setup.config.result_file.parent().unwrap_or(Path::new(""));
        session.note(&format!(
            "from now on the results go to {}; those until now are complete",
            folder.display()
        ));
    }
    let was_measured = session.ever_connected();
    let handed = session.end_for_another();
    if was_measured {
        reports::write_page(session, old);
    }
    Some(Successor { base: next.setup, files, handed, open: next.open })
}

/// Drives a session to its end, or until another one takes its place. `jvm` has the classes of the measured JVM, if its
/// methods were looked up in it.
pub async fn drive(
    session: &mut Session<'_>,
    inputs: &mut Inputs,
    setup: &Setup,
    (common, command, until): (&Common, &[OsString], &Until),
    jvm: &mut Catalogue,
) -> Option<Successor> {
    loop {
        match measure::drive(session, inputs).await {
            Returned::Over => return None,
            Returned::Reload => {
                if let Some(successor) = reload(session, setup, (common, command, until), jvm) {
                    return Some(successor);
                }
            }
        }
    }
}

/// A session, in the place of an earlier one if there was one.
pub fn begun<'a>(session: Session<'a>, before: Option<Handed>) -> Session<'a> {
    match before {
        Some(handed) => session.in_place_of(handed),
        None => session,
    }
}

/// Tasks and settings as they are now.
struct Next {
    setup: Setup,
    kept: Kept,
    /// The changes, in words.
    changes: Vec<String>,
    /// Changes in the files that the measurement does not follow, in words.
    stays: Vec<String>,
    open: Option<Open>,
}

/// Reads tasks and settings, with methods that no file has from the classes of a JVM.
fn read_known(
    common: &Common,
    command: &[OsString],
    jvm: &mut Catalogue,
    tell: &mut dyn FnMut(&str),
) -> Result<(Setup, Option<Open>), String> {
    let (setup, _, open) = reading::read(common, command, tell)?;
    let Some(open) = open else { return Ok((setup, None)) };
    if jvm.class_count() == 0 {
        // All methods came from files until now.
        *jvm = common.classes.places(command).catalogue();
    }
    let program = match open.meaning(jvm, tell) {
        Meaning::Known(program) => program,
        Meaning::Missing { findings, .. } => return Err(open.cannot_be_used(&findings)),
        Meaning::Wrong(why) => return Err(why),
    };
    Ok((reading::known(&setup, program, tell)?, Some(open)))
}

impl Next {
    fn read(
        old: &Setup,
        (common, command): (&Common, &[OsString]),
        jvm: &mut Catalogue,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Self, String> {
        let (mut setup, mut open) = read_known(common, command, jvm, tell)?;
        let fixed = differing(&old.settings, &setup.settings, |key| !CHANGEABLE.contains(&key));
        if !fixed.is_empty() {
            let mut common = common.clone();
            common.tasks = Some(old.config.tasks_file.clone());
            common.changes.kept.extend(fixed.iter().filter_map(|(before, _)| stays_so(before)));
            (setup, open) = read_known(&common, command, jvm, tell)?;
        }
        if setup.config.argument_size != old.config.argument_size {
            return Err(
                "the tasks now need other sizes of arguments (argument-size), which a running measurement \
                        cannot change"
                    .to_owned(),
            );
        }
        let (kept, differences) = carry::compare(old, &setup);
        claims_may_change(&setup.config, &differences)?;
        let mut changes = claims_in_words(&differences);
        for (before, now) in differing(&old.settings, &setup.settings, |key| CHANGEABLE.contains(&key)) {
            changes.push(format!("{} changed from {} to {}", now.key, before.value, now.value));
        }
        let stays = fixed.into_iter().map(|(before, now)| {
            let (key, value) = (&before.key, &before.value);
            format!("{key} stays {value}: a running measurement cannot change it to {}", now.value)
        });
        Ok(Self { stays: stays.collect(), setup, kept, changes, open })
    }

    fn has_changed(&self) -> bool {
        !self.changes.is_empty()
    }

    /// A folder with what goes on; `None` if no JVM was measured yet.
    fn files(
        &self,
        session: &mut Session<'_>,
        old: &Setup,
    ) -> Result<Option<(Setup, Output, Option<Resumed>)>, String> {
        if !session.has_calls() {
            return Ok(None);
        }
        session.flush()?;
        let mut setup = self.setup.clone();
        numbered::choose_new(&mut setup, &old.config);
        carry::carry_over(old, &setup, &self.kept, session.results_so_far())?;
        let (output, resumed) = Output::open(&setup, false)?;
        Ok(Some((setup, output, resumed)))
    }
}

/// Settings with another value, before and now, of the keys that are meant.
fn differing(old: &[Setting], new: &[Setting], is_meant: impl Fn(&str) -> bool) -> Vec<(Setting, Setting)> {
    let pairs = old.iter().zip(new).filter(|(before, now)| before.value != now.value);
    let pairs = pairs.filter(|(before, _)| is_meant(&before.key) && !FOLDERS.contains(&before.key.as_str()));
    pairs.map(|(before, now)| (before.clone(), now.clone())).collect()
}

/// Key and value that keep a setting; `None` for one that the profile switches off, and for the task file, which has an
/// option of its own.
fn stays_so(setting: &Setting) -> Option<(String, String)> {
    let is_set = !setting.value.starts_with("off:") && setting.key != "tasks-file";
    is_set.then(|| (setting.key.clone(), setting.value.clone()))
}

/// Checks that claims may change in a running measurement.
fn claims_may_change(config: &Config, differences: &Differences) -> Result<(), String> {
    if differences.is_empty() || config.scheduler.mode == RunMode::Measurement {
        return Ok(());
    }
    let why = if config.judge == Judge::Welch {
        "method = welch judges each claim once, with all its calls"
    } else if config.correction != Correction::None {
        "the correction counts all claims of a run together"
    } else {
        return Ok(());
    };
    Err(format!("claims cannot be added or removed while the program is measured: {why}; begin another run"))
}

fn claims_in_words(differences: &Differences) -> Vec<String> {
    let all = [
        ("added", &differences.added),
        ("removed", &differences.removed),
        ("starts again, because claims of its methods changed", &differences.again),
    ];
    let mut words = Vec::new();
    for (what, claims) in all {
        words.extend(claims.iter().take(MOST_NAMED).map(|claim| format!("{what}: {claim}")));
        let more = claims.len().saturating_sub(MOST_NAMED);
        words.extend((more > 0).then(|| format!("{what}: {more} more")));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(key: &str, value: &str) -> Setting {
        Setting { section: "s".into(), key: key.into(), value: value.into(), default: String::new() }
    }

    #[test]
    fn only_what_no_verdict_depends_on_changes() {
        let old = [("overhead-budget", "1%"), ("method", "sequential"), ("window", "off: profile = thesis")];
        let new = [("overhead-budget", "2%"), ("method", "welch"), ("window", "100")];
        let of = |pairs: [(&str, &str); 3]| pairs.map(|(key, value)| setting(key, value));
        let changed = differing(&of(old), &of(new), |key| CHANGEABLE.contains(&key));
        assert_eq!(changed, [(setting("overhead-budget", "1%"), setting("overhead-budget", "2%"))]);
        let fixed = differing(&of(old), &of(new), |key| !CHANGEABLE.contains(&key));
        let kept = fixed.iter().filter_map(|(before, _)| stays_so(before)).collect::<Vec<_>>();
        assert_eq!(kept, [("method".to_owned(), "sequential".to_owned())]);
        assert!(
            differing(&[setting("output-dir", "out")], &[setting("output-dir", "out-2")], |_| true)
                .is_empty()
        );
    }

    #[test]
    fn the_keys_that_may_change_exist() {
        let keys = crate::config::settings(&Default::default());
        for key in CHANGEABLE.iter().chain(&FOLDERS) {
            assert!(keys.iter().any(|setting| setting.key == *key), "{key}");
        }
    }

    #[test]
    fn claims_change_where_each_is_judged_by_itself() {
        let differences = Differences { added: vec!["a < b".into()], ..Differences::default() };
        let mut config = Config::default();
        assert_eq!(claims_may_change(&config, &differences), Ok(()));
        config.correction = Correction::Holm;
        assert!(claims_may_change(&config, &differences).unwrap_err().contains("the correction counts"));
        assert_eq!(claims_may_change(&config, &Differences::default()), Ok(()));
        config.correction = Correction::None;
        config.judge_once(true);
        assert!(claims_may_change(&config, &differences).unwrap_err().contains("judges each claim once"));
        config.scheduler.mode = RunMode::Measurement;
        assert_eq!(claims_may_change(&config, &differences), Ok(()));
    }

    #[test]
    fn many_changes_are_counted() {
        let added = (0..7).map(|n| format!("c{n}")).collect();
        let words = claims_in_words(&Differences { added, removed: vec!["d".into()], again: Vec::new() });
        assert_eq!(words.len(), 7);
        assert_eq!((&*words[0], &*words[5], &*words[6]), ("added: c0", "added: 2 more", "removed: d"));
    }
}
