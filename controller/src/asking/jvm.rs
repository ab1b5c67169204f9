//! One JVM that is asked for methods: its class path, read here, and what it has loaded.

use super::needs::Needs;
use crate::tasks::Meaning;
use spl_classes::{Catalogue, JvmPaths, Loaded, Places};
use spl_lang::Program;
use spl_lang::ast::MethodPattern;
use spl_session::agents::Agent;
use spl_wire::{LoadedClass, ToAgent, ToController, Wanted};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time to the second question; each later one takes twice as long, up to the last.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LAST_PAUSE: Duration = Duration::from_secs(4);

/// A JVM whose methods are looked for.
#[derive(Debug)]
pub struct Jvm {
    /// Its agent.
    pub agent: Agent,
    /// Its process id.
    pub pid: u32,
    /// Its name for the operator.
    pub name: String,
    /// Time of the next question; `None` while an answer is due.
    pub ask_at: Option<Instant>,
    pause: Duration,
    /// Its classes, once it has named its class path.
    pub classes: Option<Catalogue>,
    /// Number of classes that it has loaded.
    loaded: u32,
    /// Whether the last answer had a class that is needed.
    has_classes: Option<bool>,
    /// Names and findings of the last answer where classes were missing.
    missing: Option<(Vec<String>, String)>,
    /// Meaning of the task file after the last answer.
    last: Option<Program>,
}

/// Result of an answer.
#[derive(Debug)]
pub enum Look {
    /// Every method is known.
    Known(Program),
    /// Every method is known, and a pattern may mean more: the next answer decides.
    Again,
    /// Classes are missing.
    Missing {
        /// The methods that are named, as in the file.
        names: Vec<String>,
        /// As text for the operator.
        findings: String,
    },
    /// No class of the tasks is there.
    Without,
    /// The task file has errors, as text for the operator.
    Wrong(String),
}

impl Jvm {
    /// A JVM that was not asked yet.
    pub fn new(agent: Agent, pid: u32, name: String) -> Self {
        Self {
            agent,
            pid,
            name,
            ask_at: None,
            pause: FIRST_PAUSE,
            classes: None,
            loaded: 0,
            has_classes: None,
            missing: None,
            last: None,
        }
    }

    /// Asks for the classes that are needed.
    pub fn ask(&mut self, needs: Needs<'_>) {
        self.ask_at = None;
        let wanted = match needs {
            Needs::Methods(open) => open.patterns().iter().flat_map(wanted).collect(),
            Needs::Class(program) => classes_of(program),
        };
        self.agent.send(ToAgent::Survey { wanted });
    }

    /// Takes an answer; gives the meaning of the task file among the classes so far. `tell` gets warnings.
    /// With `must_be_loaded` the JVM needs a loaded class of the tasks too.
    pub fn look(
        &mut self,
        answer: ToController,
        needs: Needs<'_>,
        must_be_loaded: bool,
        tell: &mut dyn FnMut(&str),
    ) -> Look {
        let ToController::Surveyed { class_path, module_path, java_home, loaded, classes, .. } = answer
        else {
            return Look::Again;
        };
        let pid = self.pid;
        let catalogue = self.classes.get_or_insert_with(|| {
            let folder = folder_of(pid, Path::new(&java_home));
            Places::of_jvm(&JvmPaths { class_path, module_path, home: java_home, folder }).catalogue()
        });
        self.loaded = loaded;
        let names: BTreeSet<String> = classes.iter().map(|class| class.name.clone()).collect();
        let is_loaded =
            |program: &Program| program.tasks.methods.iter().any(|task| names.contains(task.method.class()));
        let new = catalogue.add_all_loaded(classes.into_iter().map(described));
        self.ask_at = Some(Instant::now() + self.pause);
        self.pause = (self.pause * 2).min(LAST_PAUSE);
        let open = match needs {
            Needs::Methods(open) => {
                let is_meant = |name: &String| open.patterns().iter().any(|one| one.matches_class(name));
                self.has_classes = Some(names.iter().any(is_meant));
                open
            }
            Needs::Class(program) => {
                self.has_classes = Some(is_loaded(program));
                return if is_loaded(program) { Look::Known(program.clone()) } else { Look::Without };
            }
        };
        if let Some((names, findings)) = self.missing.clone().filter(|_| new == 0) {
            // Nothing can have changed.
            return Look::Missing { names, findings };
        }
        // A warning is said once, by the last look.
        let mut warnings = Vec::new();
        let meaning = open.meaning(catalogue, &mut |text| warnings.push(text.to_owned()));
        // A pattern that has its classes now is looked up once more.
        self.missing = None;
        match meaning {
            Meaning::Known(program) if must_be_loaded && !is_loaded(&program) => Look::Without,
            Meaning::Known(program) => {
                // Of a pattern more classes may be about to be loaded.
                let may_grow =
                    catalogue.loaded_count() > 0 && open.patterns().iter().any(MethodPattern::is_glob);
                if may_grow && self.last.as_ref() != Some(&program) {
                    self.last = Some(program);
                    return Look::Again;
                }
                warnings.iter().for_each(|warning| tell(warning));
                Look::Known(program)
            }
            Meaning::Missing { names, findings } => {
                self.missing = Some((names.clone(), findings.clone()));
                Look::Missing { names, findings }
            }
            Meaning::Wrong(why) => Look::Wrong(why),
        }
    }

    /// Whether it has answered that it has loaded none of the classes.
    pub fn lacks_classes(&self) -> bool {
        self.has_classes == Some(false)
    }

    /// The searched places.
    pub fn looked_through(&self) -> String {
        let files = self.classes.as_ref().map_or(0, Catalogue::program_places);
        let entries = if files == 1 { "1 entry" } else { &format!("{files} entries") };
        format!("its class path ({entries}) and {} loaded classes", self.loaded)
    }

    /// Its name, and what was looked through.
    pub fn described(&self) -> String {
        match &self.classes {
            Some(classes) => {
                let problem = classes.problems().first().map(|one| format!("; {one}")).unwrap_or_default();
                format!("{}: {}{problem}", self.name, self.looked_through())
            }
            None => format!("{}: it did not answer", self.name),
        }
    }
}

/// The questions for a pattern. They may mean more classes than the pattern, as `*` crosses dots. For a class that is
/// named in full its neighbours are asked for too, which may be meant.
fn wanted(pattern: &MethodPattern) -> Vec<Wanted> {
    let class = pattern.class.replace('$', ".");
    // `**.Cart` means `Cart` without a package too.
    let class = class.strip_prefix("**.").map_or(class.clone(), |rest| format!("**{rest}"));
    let ask = |class: String| Wanted { class, method: pattern.name.clone() };
    let near = class
        .rsplit_once('.')
        .filter(|_| !class.contains('*'))
        .map(|(package, simple)| [ask(format!("{package}.*")), ask(format!("*.{simple}"))]);
    let asked = ask(class.replace(".**.", ".**"));
    std::iter::once(asked).chain(near.into_iter().flatten()).collect()
}

/// The question for the classes of known methods.
fn classes_of(program: &Program) -> Vec<Wanted> {
    let classes: BTreeSet<&str> = program.tasks.methods.iter().map(|task| task.method.class()).collect();
    let wanted = |class: &str| Wanted { class: class.replace(['/', '$'], "."), method: String::new() };
    classes.into_iter().map(wanted).collect()
}

fn described(class: LoadedClass) -> Loaded {
    let methods = class.methods.into_iter().map(|one| (one.name, one.descriptor, one.access)).collect();
    Loaded { name: class.name, methods }
}

/// The current folder of a process, if it runs a JVM of this home: the process id of a container may be another
/// process here.
fn folder_of(pid: u32, home: &Path) -> Option<PathBuf> {
    let process = Path::new("/proc").join(pid.to_string());
    let program = fs::canonicalize(process.join("exe")).ok()?;
    let home = fs::canonicalize(home).ok()?;
    program.starts_with(home).then(|| fs::read_link(process.join("cwd")).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use spl_lang::ast::{MethodTerm, Statement};
    use spl_lang::{RunMode, parse_file};
    use spl_wire::dotted;

    fn pattern(text: &str) -> MethodPattern {
        let file = parse_file(text, RunMode::Measurement).unwrap();
        let Statement::Measure(target) = &file.statements[0].value else { panic!("{text}") };
        let MethodTerm::Pattern(pattern) = &target.method.value else { panic!("{text}") };
        pattern.clone()
    }

    #[test]
    fn a_question_means_all_classes_of_its_pattern() {
        let check = |text: &str, class: &str| {
            let pattern = pattern(text);
            assert!(pattern.matches_class(class), "{text} {class}");
            assert!(wanted(&pattern)[0].is_class(&dotted(class)), "{text} {class}");
        };
        check("com.shop.Cart#add", "com/shop/Cart");
        check("com.shop.Cart$Item#add", "com/shop/Cart$Item");
        check("com.shop.Cart.Item#add", "com/shop/Cart$Item");
        check("com.shop.*#add", "com/shop/Cart");
        check("com.shop.**#add", "com/shop/a/Cart$Item");
        check("**.Cart#add", "Cart");
        check("**.Cart#add", "com/shop/Cart");
        check("com.**.Cart#add", "com/Cart");
        check("com.**.Cart#add", "com/shop/Cart");
        check("com.shop.**Dao#find*", "com/shop/sub/CartDao");
        let is_asked = |class: &str| {
            wanted(&pattern("com.shop.Cart#add")).iter().any(|one| one.is_class(&dotted(class)))
        };
        assert!(is_asked("com/shop/Carts") && is_asked("org/shop/Cart") && !is_asked("org/shop/Carts"));
    }

    #[test]
    fn the_folder_is_that_of_a_jvm_of_this_home() {
        let me = std::process::id();
        let program = std::env::current_exe().unwrap();
        let here = std::env::current_dir().unwrap();
        assert_eq!(folder_of(me, program.parent().unwrap()), Some(here));
        assert_eq!(folder_of(me, Path::new("/nonexistent")), None);
        assert_eq!(folder_of(me, tempfile::tempdir().unwrap().path()), None);
    }
}
