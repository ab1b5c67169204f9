//! `spl methods`: the methods of a program's classes, for pasting into a task file.

use crate::check::{JsonMethod, OpenClasses};
use crate::cli::Methods;
use crate::said;
use crate::stdout;
use serde::Serialize;
use spl_classes::{Catalogue, Known, proposal};
use spl_lang::ast::{MethodPattern, MethodTerm};
use spl_lang::{RunMode, parse_file};
use spl_verdict::ExitStatus;

/// Lists the methods that a pattern matches.
///
/// # Errors
/// When the pattern is not understood or the classes cannot be read, as text for the operator.
pub fn methods(arguments: &Methods) -> Result<ExitStatus, String> {
    let wanted = wanted(&arguments.pattern)?;
    let mut classes = OpenClasses::of(&arguments.classes)?;
    let mut found = found(&wanted, &mut classes.catalogue);
    classes.say_unreadable();
    let (count, limit) = (found.len(), arguments.limit);
    found.truncate(limit);
    if arguments.json {
        let methods = found.iter().map(|known| {
            let origin =
                classes.catalogue.origin(known.method.class()).map(|path| path.display().to_string());
            JsonListed { java: java(known, &mut classes.catalogue), origin, method: JsonMethod::of(known) }
        });
        let list = JsonList { schema: "spl.methods/1", count, methods: methods.collect() };
        stdout::print_json(&list)?;
    } else {
        let lines = found.iter().map(|known| line(known, arguments.java, &mut classes.catalogue) + "\n");
        stdout::print(&lines.collect::<String>())?;
        if count > limit {
            said::say(&format!("{limit} of {count} methods are listed; --limit {count} lists all"));
        }
    }
    if count == 0 {
        said::say(&nothing(&wanted, &mut classes.catalogue));
    }
    Ok(if count > 0 { ExitStatus::AllHold } else { ExitStatus::SomeFail })
}

/// The methods that a pattern means, in the order of their names.
///
/// # Errors
/// When the pattern is not understood; and when it means none, with the nearest class: text for the operator.
pub fn look_up(pattern: &str, catalogue: &mut Catalogue) -> Result<Vec<Known>, String> {
    let wanted = wanted(pattern)?;
    let found = found(&wanted, catalogue);
    if found.is_empty() { Err(nothing(&wanted, catalogue)) } else { Ok(found) }
}

fn found(wanted: &[Wanted], catalogue: &mut Catalogue) -> Vec<Known> {
    let mut found: Vec<Known> = wanted.iter().flat_map(|one| one.look_up(catalogue)).collect();
    found.sort_by(|one, other| one.method.cmp(&other.method));
    found.dedup();
    found
}

/// Methods to look up.
enum Wanted {
    Term(MethodTerm),
    /// All methods and constructors of the classes that the pattern matches.
    Classes(MethodPattern),
}

impl Wanted {
    fn look_up(&self, catalogue: &mut Catalogue) -> Vec<Known> {
        match self {
            Self::Term(MethodTerm::Exact(method)) => catalogue.method(method).into_iter().collect(),
            Self::Term(MethodTerm::Pattern(pattern)) => {
                let mut all = catalogue.all_meant(pattern);
                if !pattern.is_glob() {
                    all.extend(implementing(&all, catalogue));
                }
                all
            }
            Self::Term(MethodTerm::Name(_)) => Vec::new(),
            Self::Classes(pattern) => {
                let classes = catalogue.classes_meant(pattern);
                classes.iter().flat_map(|class| catalogue.methods(class)).collect()
            }
        }
    }

    fn class(&self) -> String {
        match self {
            Self::Term(MethodTerm::Exact(method)) => method.class().to_owned(),
            Self::Term(MethodTerm::Pattern(pattern)) | Self::Classes(pattern) => {
                pattern.class.replace('.', "/")
            }
            Self::Term(MethodTerm::Name(name)) => name.clone(),
        }
    }
}

/// The methods that implement those without a body.
fn implementing(all: &[Known], catalogue: &mut Catalogue) -> Vec<Known> {
    let without_body = all.iter().filter(|known| known.is_abstract());
    let found: Vec<_> = without_body.flat_map(|known| catalogue.implementations(&known.method)).collect();
    found.iter().filter_map(|method| catalogue.method(method)).collect()
}

/// The pattern in the language of task files; a class alone means all its methods.
fn wanted(text: &str) -> Result<Vec<Wanted>, String> {
    let alone = !text.contains(['#', ':', '(', '\n', ' ', '@']);
    let full = if alone { format!("{}#*", text.replace('/', ".")) } else { text.to_owned() };
    let file = parse_file(&full, RunMode::Measurement).map_err(|found| {
        let shown = found.iter().map(|one| one.render("PATTERN", &full)).collect::<Vec<_>>();
        format!("the pattern is not understood\n{}", shown.join("\n"))
    })?;
    let terms = file.mentions(&full).into_iter().map(|mention| mention.method);
    Ok(terms
        .map(|term| match term {
            MethodTerm::Pattern(pattern) if alone => Wanted::Classes(pattern),
            MethodTerm::Exact(_) | MethodTerm::Pattern(_) | MethodTerm::Name(_) => Wanted::Term(term),
        })
        .collect())
}

/// A line of a task file; a method that cannot be measured becomes a comment.
fn line(known: &Known, as_java: bool, catalogue: &mut Catalogue) -> String {
    let exact = || known.method.to_string();
    let named = if as_java { java(known, catalogue).unwrap_or_else(exact) } else { exact() };
    let modifiers = known.modifiers().join(" ");
    match known.obstacle() {
        Some(obstacle) => format!("# {named}  # {obstacle}"),
        None if known.intrinsic => format!("{named}  # {modifiers}; the JVM may replace its calls"),
        None if modifiers.is_empty() => named,
        None => format!("{named}  # {modifiers}"),
    }
}

/// The method as Java names it, with its result if only that distinguishes it from another; `None` if Java
/// cannot name it.
fn java(known: &Known, catalogue: &mut Catalogue) -> Option<String> {
    let full = MethodPattern::of(&known.method)?;
    let short = MethodPattern { result: None, ..full.clone() };
    let meant = catalogue.meant(&short);
    let is_clear = meant.len() == 1 && meant.first().is_some_and(|one| one.method == known.method);
    Some(if is_clear { short.to_string() } else { full.to_string() })
}

fn nothing(wanted: &[Wanted], catalogue: &mut Catalogue) -> String {
    let class = wanted.first().map(Wanted::class).unwrap_or_default();
    let near = catalogue.nearest_classes(&class);
    if near.is_empty() || near.contains(&class) {
        let proposal = match wanted.first() {
            Some(Wanted::Term(term)) if !near.is_empty() => proposal(term, catalogue),
            _ => None,
        };
        let proposal = proposal.map(|help| format!("; {help}")).unwrap_or_default();
        return format!("no method matches this{proposal}");
    }
    let near: Vec<String> = near.iter().map(|class| class.replace('/', ".")).collect();
    format!("no method matches this; did you mean the class {}?", near.join(" or "))
}

#[derive(Serialize)]
struct JsonList {
    schema: &'static str,
    count: usize,
    methods: Vec<JsonListed>,
}

#[derive(Serialize)]
struct JsonListed {
    #[serde(flatten)]
    method: JsonMethod,
    java: Option<String>,
    origin: Option<String>,
}
