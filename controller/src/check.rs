//! `spl check`: a task file's language, and its methods among the classes of a program, without running it.

use crate::cli::{Check, Classes};
use crate::stdout;
use crate::{counted, said};
use serde::Serialize;
use spl_classes::{Catalogue, Jdk, Known, Mention, Resolution, State, path, resolve};
use spl_lang::{Diagnostic, MetricClaim, MetricClaims, RunMode, Severity, read_file};
use spl_verdict::ExitStatus;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Checks a task file and reports its errors.
///
/// # Errors
/// When the file or the classes cannot be read, as text for the operator.
pub fn check(arguments: &Check) -> Result<ExitStatus, String> {
    let text = read_text(&arguments.file)?;
    let mode = mode_of(arguments.mode.as_deref(), &text);
    let (file, mut errors) = read_file(&text, mode);
    let counted = counted::claims_of(&file, &text).unwrap_or_else(|found| {
        errors.extend(found);
        MetricClaims::default()
    });
    let mut classes = OpenClasses::of(&arguments.classes)?;
    let complete = !classes.class_path.is_empty();
    let mut resolution = resolve(&file, &text, &mut classes.catalogue, complete);
    if complete {
        let unknown = counted::unknown_spaces(&counted.claims, &text, &mut classes.catalogue);
        resolution.findings.extend(unknown);
    }
    classes.say_unreadable();
    let status = match (resolution.is_wrong(), errors.len()) {
        (false, 0) => ExitStatus::AllHold,
        (true, 0) => ExitStatus::SomeFail,
        _ => ExitStatus::Error,
    };
    resolution.findings.extend(errors.into_iter().chain(counted.warnings));
    resolution.findings.sort_by_key(|finding| (finding.span.start, finding.span.end));
    Report {
        arguments,
        text: &text,
        mode,
        resolution: &resolution,
        counted: &counted.claims,
        classes: &classes,
        status,
    }
    .print()?;
    Ok(status)
}

/// A task file's text.
///
/// # Errors
/// When it cannot be read, as text for the operator.
pub fn read_text(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("cannot read the task file {}: {e}", path.display()))
}

/// The run mode of the command line, else the one that the file is written for.
pub fn mode_of(named: Option<&str>, text: &str) -> RunMode {
    match named {
        Some("comparison") => RunMode::Comparison,
        Some(_) => RunMode::Measurement,
        None => RunMode::of(text),
    }
}

/// The classes of the command line.
pub struct OpenClasses {
    /// All of these classes.
    pub catalogue: Catalogue,
    class_path: Vec<PathBuf>,
    jdk: Option<Jdk>,
}

impl OpenClasses {
    /// Opens the classes.
    ///
    /// # Errors
    /// When one of them cannot be read, as text for the operator.
    pub fn of(arguments: &Classes) -> Result<Self, String> {
        let class_path = arguments.classpath.as_deref().map(path::entries).unwrap_or_default();
        let jdk = arguments.jdk.as_deref().map(Jdk::at).or_else(Jdk::installed);
        if jdk.is_none() {
            said::say("no JDK was found: name one with --jdk, or the JDK's classes are unknown");
        }
        let catalogue = Catalogue::open(&class_path, jdk.as_ref());
        catalogue.gaps().iter().for_each(|gap| said::say(gap));
        if catalogue.problems().is_empty() {
            Ok(Self { catalogue, class_path, jdk })
        } else {
            Err(catalogue.problems().join("\n"))
        }
    }

    /// Reports classes that could not be read since they were opened.
    pub fn say_unreadable(&self) {
        self.catalogue.problems().iter().for_each(|problem| said::say(problem));
    }
}

/// Findings about a file.
struct Report<'r> {
    arguments: &'r Check,
    text: &'r str,
    mode: RunMode,
    resolution: &'r Resolution,
    counted: &'r [MetricClaim],
    classes: &'r OpenClasses,
    status: ExitStatus,
}

impl Report<'_> {
    fn print(&self) -> Result<(), String> {
        if self.arguments.json {
            return stdout::print_json(&self.json());
        }
        let file = self.arguments.file.display().to_string();
        let findings = self.resolution.findings.iter();
        let mut text = findings.map(|finding| finding.render(&file, self.text) + "\n\n").collect::<String>();
        for mention in self.named().filter(|_| !self.arguments.quiet) {
            let (line, written, said) = (mention.place.line, self.written(mention), said(mention));
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "{file}:{line}: {written}: {said}");
        }
        for claim in self.counted.iter().filter(|_| !self.arguments.quiet) {
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "{file}:{}: {}: counted by `spl metrics`", claim.line, self.quoted(claim));
        }
        stdout::print(&(text + &format!("{file}: {}\n", self.summary())))
    }

    /// Each method where it is named first.
    fn named(&self) -> impl Iterator<Item = &Mention> {
        let mut seen = BTreeSet::new();
        self.resolution.mentions.iter().filter(move |mention| seen.insert(self.written(mention)))
    }

    fn written(&self, mention: &Mention) -> &str {
        self.text.get(mention.place.span.start..mention.place.span.end).unwrap_or_default()
    }

    fn quoted(&self, claim: &MetricClaim) -> &str {
        self.text.get(claim.span.start..claim.span.end).unwrap_or_default()
    }

    fn summary(&self) -> String {
        let count = |severity| self.resolution.findings.iter().filter(|one| one.severity == severity).count();
        let [errors, warnings] = [count(Severity::Error), count(Severity::Warning)];
        let counts = format!("{}, {}", counted(errors, "error"), counted(warnings, "warning"));
        let classes = self.classes;
        let jdk = match &classes.jdk {
            Some(Jdk { home, release: Some(release) }) => format!("JDK {release} in {}", home.display()),
            Some(Jdk { home, .. }) => format!("the JDK in {}", home.display()),
            None => "no JDK".to_owned(),
        };
        let unchecked = self.named().filter(|mention| mention.state == State::NotChecked).count();
        let unchecked = match unchecked {
            0 => String::new(),
            count => format!("; {count} of them not checked, name their classes with --classpath"),
        };
        let (methods, entries) =
            (counted(self.named().count(), "method"), counted(classes.class_path.len(), "class path entry"));
        let known = classes.catalogue.class_count();
        format!(
            "{counts}; {methods} named, for run-mode = {}; {known} classes in {entries} and {jdk}{unchecked}",
            self.mode
        )
    }

    fn json(&self) -> JsonReport<'_> {
        JsonReport {
            schema: "spl.check/1",
            file: self.arguments.file.display().to_string(),
            mode: self.mode.to_string(),
            jdk: self.classes.jdk.as_ref().map(|jdk| jdk.home.display().to_string()),
            classpath: self.classes.class_path.iter().map(|entry| entry.display().to_string()).collect(),
            ok: self.status == ExitStatus::AllHold,
            findings: self.resolution.findings.iter().map(JsonFinding::of).collect(),
            methods: self
                .resolution
                .mentions
                .iter()
                .map(|one| JsonMention::of(one, self.written(one)))
                .collect(),
            tasks: self.resolution.program.as_ref().map_or_else(Vec::new, |program| {
                program.tasks.to_string().lines().map(str::to_owned).collect()
            }),
            metrics: self.counted.iter().map(|claim| self.quoted(claim)).collect(),
        }
    }
}

/// A number with its noun.
fn counted(count: usize, what: &str) -> String {
    match (count, what.strip_suffix('y')) {
        (1, _) => format!("1 {what}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        _ => format!("{count} {what}s"),
    }
}

/// Facts of the classes about a method, in words.
pub fn said(mention: &Mention) -> String {
    match mention.state {
        State::NoMethod => return "no such method".into(),
        State::NoClass => return "no such class".into(),
        State::NotChecked => return "not checked: its class is not known here".into(),
        State::Found | State::Unmeasurable => {}
    }
    let [one] = &mention.meant[..] else { return counted(mention.meant.len(), "method") };
    let mut said = if one.kind() == "static initializer" {
        "static initializer, which runs once: too seldom for a claim about its time".to_owned()
    } else {
        one.modifiers().into_iter().chain([one.kind()]).collect::<Vec<_>>().join(" ")
    };
    if mention.namesakes > 1 {
        said.push_str(&format!(", overloaded: one of {}", mention.namesakes));
    }
    if one.is_abstract() {
        let count = mention.implementations.len();
        said.push_str(&format!(
            ", implemented in {}",
            if count == 1 { "1 class".to_owned() } else { format!("{count} classes") }
        ));
    }
    if let Some(method) = &mention.runs_a_thread {
        let written = format!("{}.{}", method.class().replace('/', "."), method.name());
        said.push_str(&format!("; calls of {written} in progress lose file and line in stack traces"));
    }
    said
}

#[derive(Serialize)]
struct JsonReport<'r> {
    schema: &'static str,
    file: String,
    mode: String,
    jdk: Option<String>,
    classpath: Vec<String>,
    ok: bool,
    findings: Vec<JsonFinding<'r>>,
    methods: Vec<JsonMention<'r>>,
    tasks: Vec<String>,
    metrics: Vec<&'r str>,
}

#[derive(Serialize)]
struct JsonFinding<'r> {
    severity: String,
    message: &'r str,
    line: usize,
    column: usize,
    start: usize,
    end: usize,
    label: &'r str,
    help: Option<&'r str>,
    related: Vec<JsonRelated<'r>>,
}

#[derive(Serialize)]
struct JsonRelated<'r> {
    line: usize,
    start: usize,
    end: usize,
    label: &'r str,
}

impl<'r> JsonFinding<'r> {
    fn of(finding: &'r Diagnostic) -> Self {
        let related = finding.related.iter().map(|place| JsonRelated {
            line: place.line,
            start: place.span.start,
            end: place.span.end,
            label: &place.label,
        });
        Self {
            severity: finding.severity.to_string(),
            message: &finding.message,
            line: finding.line,
            column: finding.column,
            start: finding.span.start,
            end: finding.span.end,
            label: &finding.label,
            help: finding.help.as_deref(),
            related: related.collect(),
        }
    }
}

#[derive(Serialize)]
struct JsonMention<'r> {
    line: usize,
    column: usize,
    written: &'r str,
    state: &'static str,
    methods: Vec<JsonMethod>,
    namesakes: usize,
    implementations: Vec<String>,
    runs_a_thread: Option<String>,
}

impl<'r> JsonMention<'r> {
    fn of(mention: &'r Mention, written: &'r str) -> Self {
        Self {
            line: mention.place.line,
            column: mention.place.column,
            written,
            state: match mention.state {
                State::Found => "found",
                State::Unmeasurable => "unmeasurable",
                State::NoMethod => "no-method",
                State::NoClass => "no-class",
                State::NotChecked => "not-checked",
            },
            methods: mention.meant.iter().map(JsonMethod::of).collect(),
            namesakes: mention.namesakes,
            implementations: mention.implementations.iter().map(ToString::to_string).collect(),
            runs_a_thread: mention.runs_a_thread.as_ref().map(ToString::to_string),
        }
    }
}

/// A method in JSON, the same in every schema.
#[derive(Serialize)]
pub struct JsonMethod {
    method: String,
    kind: &'static str,
    modifiers: Vec<&'static str>,
    code_bytes: Option<usize>,
    intrinsic: bool,
    obstacle: Option<String>,
}

impl JsonMethod {
    /// The method as its class file names it.
    pub fn of(known: &Known) -> Self {
        Self {
            method: known.method.to_string(),
            kind: known.kind(),
            modifiers: known.modifiers(),
            code_bytes: known.code_bytes,
            intrinsic: known.intrinsic,
            obstacle: known.obstacle(),
        }
    }
}
