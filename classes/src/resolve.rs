//! Methods of a task file among the classes of a program: the methods that are meant, and the errors of other
//! names.

use crate::nothing::{self, Nothing};
use crate::{Catalogue, Known};
use spl_lang::ast::{File, Mention as Place, MethodPattern, MethodTerm};
use spl_lang::{Diagnostic, Program, Severity};
use spl_model::MethodRef;

/// Most methods or classes that a help names.
const MAX_NAMED: usize = 5;

/// Help about calls that no probe sees.
const NAME_ITS_CALLER: &str =
    "name the method of the program that calls it: its times contain those of the call";

const RUNNABLE: &str = "java/lang/Runnable";
const THREAD: &str = "java/lang/Thread";
/// Access flag (JVMS 4.6).
const STATIC: u16 = 0x0008;

/// Meaning of a task file among the classes of a program.
#[derive(Debug)]
pub struct Resolution {
    /// The file's meaning; `None` if it has an error or was not checked completely.
    pub program: Option<Program>,
    /// All findings, in the order of their places.
    pub findings: Vec<Diagnostic>,
    /// Every mention of a method, in file order.
    pub mentions: Vec<Mention>,
}

impl Resolution {
    /// Whether any finding is an error.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }
}

/// A mention of a method, and the facts of the classes about it.
#[derive(Debug)]
pub struct Mention {
    /// The place.
    pub place: Place,
    /// State of the method.
    pub state: State,
    /// The methods that are meant.
    pub meant: Vec<Known>,
    /// Number of methods with its name in the class of the meant method; 0 if no single method is meant.
    pub namesakes: usize,
    /// Methods that implement the meant one, if it is abstract.
    pub implementations: Vec<MethodRef>,
    /// The method of the same class that a thread runs from its start to its end, if the class has one. A
    /// change of the class takes file and line of its running calls from stack traces.
    pub runs_a_thread: Option<MethodRef>,
}

/// State of a mentioned method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The method exists and can be measured.
    Found,
    /// The method exists and cannot be measured.
    Unmeasurable,
    /// Its class has no such method.
    NoMethod,
    /// There is no such class.
    NoClass,
    /// Its class is not among the known ones, which are incomplete.
    NotChecked,
}

/// Looks up the methods of `file`, which was parsed from `text`. Unless the catalogue is `complete`, an
/// unknown class may still belong to the program, if no other class of its package is known.
pub fn resolve(file: &File, text: &str, catalogue: &mut Catalogue, complete: bool) -> Resolution {
    let mut looker = Looker { catalogue, complete, findings: Vec::new() };
    let mentions: Vec<Mention> = file.mentions(text).into_iter().map(|place| looker.look(place)).collect();
    let Looker { mut findings, .. } = looker;
    let checked = file.check_in(text, catalogue);
    let (program, others) = match checked {
        Ok(mut program) => {
            let warnings = std::mem::take(&mut program.tasks.warnings);
            (Some(program), warnings)
        }
        Err(errors) => (None, errors),
    };
    // About an unknown method the classes give better messages than the language.
    let is_said = |finding: &Diagnostic| {
        let mention = mentions.iter().find(|mention| mention.place.span == finding.span);
        finding.severity == Severity::Error
            && mention.is_some_and(|mention| mention.meant.is_empty() && is_pattern(&mention.place))
    };
    findings.extend(others.into_iter().filter(|finding| !is_said(finding)));
    findings.sort_by_key(|finding| (finding.span.start, finding.span.end));
    let mut resolution = Resolution { program: None, findings, mentions };
    resolution.program = program.filter(|_| !resolution.is_wrong());
    resolution
}

/// Proposals instead of a method that its class does not have; `None` if nothing is near.
pub fn proposal(term: &MethodTerm, catalogue: &mut Catalogue) -> Option<String> {
    Looker { catalogue, complete: true, findings: Vec::new() }.why_no_method(term).1
}

fn is_pattern(place: &Place) -> bool {
    matches!(place.method, MethodTerm::Pattern(_))
}

struct Looker<'c> {
    catalogue: &'c mut Catalogue,
    complete: bool,
    findings: Vec<Diagnostic>,
}

impl Looker<'_> {
    fn look(&mut self, place: Place) -> Mention {
        let (meant, classes) = match &place.method {
            MethodTerm::Exact(method) => {
                (Vec::from_iter(self.catalogue.method(method)), vec![method.class().to_owned()])
            }
            MethodTerm::Pattern(pattern) => {
                (self.catalogue.meant(pattern), self.catalogue.classes_meant(pattern))
            }
            MethodTerm::Name(_) => (Vec::new(), Vec::new()),
        };
        let mut mention = Mention {
            place,
            state: State::Found,
            meant,
            namesakes: 0,
            implementations: Vec::new(),
            runs_a_thread: None,
        };
        let glob = match &mention.place.method {
            MethodTerm::Pattern(pattern) => Some(pattern.clone()).filter(MethodPattern::is_glob),
            MethodTerm::Exact(_) | MethodTerm::Name(_) => None,
        };
        match &mention.meant[..] {
            [] if glob.is_some() && (self.complete || self.catalogue.has_program()) => {
                mention.state = State::NoMethod;
                if let Some(pattern) = glob {
                    let Nothing { message, label, help } = nothing::of_pattern(&pattern, self.catalogue);
                    self.say(&mention, Severity::Error, message.into(), label, help);
                }
            }
            [] if classes.iter().any(|class| self.catalogue.class(class).is_some()) => {
                self.no_method(&mut mention);
            }
            [] if classes.iter().any(|class| self.catalogue.origin(class).is_some()) => {
                mention.state = State::NotChecked;
                self.say(&mention, Severity::Error, "the class cannot be read".into(), "not checked", None);
            }
            [] => self.no_class(&mut mention),
            [one] if one.is_abstract() && mention.place.several && is_pattern(&mention.place) => {
                let one = one.clone();
                mention.implementations = self.catalogue.implementations(&one.method);
                if mention.implementations.is_empty() {
                    self.judge(&one, &mut mention);
                } else {
                    let found = mention.implementations.iter().filter_map(|one| self.catalogue.method(one));
                    mention.meant = found.collect();
                }
            }
            [one] => {
                let one = one.clone();
                let all = self.catalogue.methods(one.method.class());
                mention.namesakes =
                    all.iter().filter(|known| known.method.name() == one.method.name()).count();
                mention.runs_a_thread = self.runs_a_thread(one.method.class());
                self.judge(&one, &mut mention);
            }
            _ => {}
        }
        mention
    }

    /// The method of a class that a thread runs from its start to its end: `main` of a program, or `run` of a
    /// thread's class.
    fn runs_a_thread(&mut self, class: &str) -> Option<MethodRef> {
        let info = self.catalogue.class(class)?;
        let runs = |name: &str| name == RUNNABLE || name == THREAD;
        let given =
            info.interfaces.iter().any(|name| runs(name)) || info.super_name.as_deref().is_some_and(runs);
        let is_it = |method: &&spl_bytecode::MethodInfo| match (&*method.name, &*method.descriptor) {
            ("main", "([Ljava/lang/String;)V") => method.access & STATIC != 0,
            ("run", "()V") => given,
            _ => false,
        };
        let method = info.methods.iter().find(is_it)?;
        MethodRef::new(class, &method.name, &method.descriptor).ok()
    }

    /// Judges whether the meant method can be measured.
    fn judge(&mut self, one: &Known, mention: &mut Mention) {
        let name = written(&one.method, &mention.place.method);
        let Some(obstacle) = one.obstacle() else {
            let (message, label, help) = if one.intrinsic {
                (
                    "the JVM may replace calls of this method by machine code of its own",
                    "such calls are not measured",
                    Some(NAME_ITS_CALLER.to_owned()),
                )
            } else if one.is_huge() {
                (
                    "HotSpot does not compile this method",
                    "over 8000 bytes of bytecode: interpreted always",
                    None,
                )
            } else {
                return;
            };
            return self.say(mention, Severity::Warning, message.into(), label, help);
        };
        mention.state = State::Unmeasurable;
        let mut help = one.is_native().then(|| NAME_ITS_CALLER.to_owned());
        if one.is_abstract() {
            mention.implementations = self.catalogue.implementations(&one.method);
            let classes: Vec<String> =
                mention.implementations.iter().map(|found| written(found, &mention.place.method)).collect();
            help = Some(match classes.len() {
                0 => "no class that is known here implements it".to_owned(),
                count => format!(
                    "{}: name one, as {}",
                    counted(count, "class implements it", "classes implement it"),
                    listed(&classes)
                ),
            });
        }
        self.say(mention, Severity::Error, format!("`{name}` {obstacle}"), "cannot be measured", help);
    }

    fn no_method(&mut self, mention: &mut Mention) {
        mention.state = State::NoMethod;
        let (label, help) = self.why_no_method(&mention.place.method.clone());
        self.say(mention, Severity::Error, "no such method".into(), label, help);
    }

    /// Why a class has no method that is meant, and what may be meant instead.
    fn why_no_method(&mut self, term: &MethodTerm) -> (&'static str, Option<String>) {
        let (class, name, has_types) = match term {
            MethodTerm::Exact(method) => (method.class().to_owned(), method.name().to_owned(), true),
            MethodTerm::Pattern(pattern) => {
                // A pattern means several classes only on purpose; one of them is enough for proposals.
                let class = self.catalogue.classes_meant(pattern).into_iter().next().unwrap_or_default();
                (class, pattern.name.clone(), pattern.has_types())
            }
            MethodTerm::Name(_) => return ("not a method", None),
        };
        let known = self.catalogue.methods(&class);
        let same: Vec<String> = spellings(known.iter().filter(|known| known.method.name() == name), term);
        let mut inherited = |is_meant: &dyn Fn(&MethodRef) -> bool| {
            // Nobody inherits constructors.
            let above = self.catalogue.inherited(&class, is_meant).filter(|_| !name.starts_with('<'))?;
            Some(listed(&[written(&above.method, term)]))
        };
        let is_meant = |method: &MethodRef| match term {
            MethodTerm::Exact(meant) => {
                method.name() == name && method.descriptor().as_str() == meant.descriptor().as_str()
            }
            MethodTerm::Pattern(pattern) => pattern.matches_member(method),
            MethodTerm::Name(_) => false,
        };
        if let Some(above) = inherited(&is_meant).filter(|_| has_types || same.is_empty()) {
            ("not declared by this class itself", Some(format!("it is inherited: write {above}")))
        } else if !same.is_empty() {
            ("not with these types", Some(format!("the class has {}", listed(&same))))
        } else if name.starts_with('<') {
            ("its class has none", None)
        } else if let Some(above) = inherited(&|method| method.name() == name) {
            ("not with these types", Some(format!("the class inherits {above}")))
        } else {
            let near = nearest(&known, &name);
            let help = (!near.is_empty())
                .then(|| format!("did you mean {}?", listed(&spellings(near.into_iter(), term))));
            ("its class has none of this name", help)
        }
    }

    fn no_class(&mut self, mention: &mut Mention) {
        let class = match &mention.place.method {
            MethodTerm::Exact(method) => method.class().to_owned(),
            MethodTerm::Pattern(pattern) => pattern.class.replace('.', "/"),
            MethodTerm::Name(_) => return,
        };
        let package = class.rsplit_once('/').map_or("", |(package, _)| package);
        if !self.complete && (class.contains('*') || !self.catalogue.has_package(package)) {
            mention.state = State::NotChecked;
            return;
        }
        mention.state = State::NoClass;
        let exact = !is_pattern(&mention.place);
        let near = self.catalogue.nearest_classes(&class);
        let near: Vec<String> =
            near.into_iter().map(|class| if exact { class } else { class.replace('/', ".") }).collect();
        let help = match near.len() {
            0 if self.catalogue.is_of_jvm() => {
                "is its package right? a class that a loader of the program's own loads is known from then on"
                    .to_owned()
            }
            0 if self.complete => {
                "is its JAR or folder on the class path that was given? --classpath names another".to_owned()
            }
            0 => {
                "classes of the program are looked for in the class path: name it with --classpath".to_owned()
            }
            _ => format!("did you mean {}?", listed(&near)),
        };
        let place = match (self.complete, self.catalogue.is_of_jvm()) {
            (_, true) => "in no file of the JVM's class path, nor among its loaded classes",
            (true, false) => "in no entry of the class path, nor in the JDK",
            (false, false) => "not in the JDK",
        };
        self.say(mention, Severity::Error, "no such class".into(), place, Some(help));
    }

    fn say(
        &mut self,
        mention: &Mention,
        severity: Severity,
        message: String,
        label: &str,
        help: Option<String>,
    ) {
        let mut finding = mention.place.finding(severity, message, label.to_owned());
        finding.help = help;
        self.findings.push(finding);
    }
}

/// Methods of names few edits away, the nearest first.
fn nearest<'k>(known: &'k [Known], name: &str) -> Vec<&'k Known> {
    let most = (name.chars().count() / 3).max(1);
    let distance = |known: &'k Known| (strsim::damerau_levenshtein(known.method.name(), name), known);
    let mut near: Vec<_> = known.iter().map(distance).filter(|(distance, _)| *distance <= most).collect();
    near.sort_by(|one, other| (one.0, &one.1.method).cmp(&(other.0, &other.1.method)));
    near.into_iter().map(|(_, known)| known).collect()
}

fn spellings<'k>(known: impl Iterator<Item = &'k Known>, like: &MethodTerm) -> Vec<String> {
    known.map(|known| written(&known.method, like)).collect()
}

/// The method in the spelling that was used: as the class file names it or as Java does.
fn written(method: &MethodRef, like: &MethodTerm) -> String {
    let java = match like {
        MethodTerm::Pattern(_) => MethodPattern::of(method),
        MethodTerm::Exact(_) | MethodTerm::Name(_) => None,
    };
    // The result type only distinguishes bridges, which are never meant.
    java.map_or_else(|| method.to_string(), |java| MethodPattern { result: None, ..java }.to_string())
}

/// The first names, in backquotes.
fn listed(all: &[String]) -> String {
    let named: Vec<String> = all.iter().take(MAX_NAMED).map(|one| format!("`{one}`")).collect();
    match all.len().saturating_sub(MAX_NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// A number with its noun.
fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
