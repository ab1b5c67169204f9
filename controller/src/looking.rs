//! The output of `spl top`, and its settings of the scheduler.

mod rows;

use crate::ending::width;
use crate::said::say;
use rows::Rows;
use spl_session::files::write_whole;
use spl_session::session::Session;
use spl_session::setup::Setup;
use std::path::PathBuf;

/// Most methods that begin to wait for calls with one change of classes. After each change the JVM compiles hot code
/// again, so one large change disturbs a program less than several small ones.
const AT_ONCE: usize = 1000;

/// The output of a run that looks for methods.
#[derive(Clone, Debug)]
pub struct Looking {
    /// Number of methods to show at most.
    pub limit: usize,
    /// Where to write the document.
    pub json: Option<PathBuf>,
}

impl Looking {
    /// Prepares the setup: many methods wait for calls at once.
    pub fn prepare(setup: &mut Setup) {
        let methods = setup.program.tasks.methods.len();
        let settings = &mut setup.config.scheduler;
        settings.listening = settings.listening.max(methods.min(AT_ONCE));
    }

    /// Says which methods were called most, and writes the document.
    pub fn say(&self, session: &mut Session<'_>, quiet: bool) {
        let seen = Rows::of(session.scheduler(), session.lost());
        if let Some(path) = &self.json {
            let text = spl_model::plain_json(
                &serde_json::to_string_pretty(&seen.document(self.limit)).unwrap_or_default(),
            );
            let written = write_whole(path, (text + "\n").as_bytes());
            session.check(written.map_err(|error| format!("cannot write {}: {error}", path.display())));
        }
        if !quiet {
            seen.lines(self.limit, width()).iter().for_each(|line| say(line));
        }
    }
}
