//! Claims about metrics, judged by the values of a drill.

use crate::claims::{Claim, Kind, counts, worst};
use crate::ending::{self, Row};
use crate::judgement::word;
use crate::said::say;
use crate::{counted, junit, tasks};
use serde::Serialize;
use spl_analysis::{Exactness, InSpace, Library, Need, Space, Value, Values, metrics};
use spl_lang::ast::Formula;
use spl_lang::{MetricAtom, MetricClaim, MetricClaims, MetricOf, MetricOperand, MetricSpace};
use spl_model::one_line;
use spl_verdict::{CountVerdict, Counted, ExitStatus, Standing, exit_status, judge_counts};
use std::path::Path;

/// Beginning of the result of a claim that is proved.
const PROVED: &str = "holds (proved)";

/// The claims of a task file about metrics.
#[derive(Debug)]
pub struct Claims {
    text: String,
    found: MetricClaims,
    /// The spaces of their metrics, each once.
    spaces: Vec<MetricSpace>,
}

/// The claims with their results in a JVM.
#[derive(Debug)]
pub struct Judged<'c> {
    claims: &'c Claims,
    results: Vec<Judgement>,
}

/// The result of a claim.
#[derive(Debug)]
struct Judgement {
    verdict: CountVerdict,
    parts: Vec<Part>,
    /// Whether the JVM has no method of any of its spaces.
    is_elsewhere: bool,
}

/// A comparison of a claim, with its values.
#[derive(Debug)]
struct Part {
    text: String,
    sides: [Side; 2],
    /// Its result, if it were a claim.
    standing: Standing,
}

/// The value of one side, multiplied by its factor.
#[derive(Clone, Debug)]
struct Side {
    /// Its bounds; none where there is no value.
    found: Option<[f64; 2]>,
    /// Its certainty; `None` for a number.
    exactness: Option<Exactness>,
    reasons: Vec<String>,
}

impl Claims {
    /// Reads a task file, and says which claims are left to other commands, unless only errors are wanted.
    ///
    /// # Errors
    /// When it cannot be read, has errors, or has no claim about metrics; text for the operator.
    pub fn read(path: &Path, quiet: bool) -> Result<Self, String> {
        let (file, text) = tasks::of_comparisons(path)?;
        let shown = |found: &[_]| tasks::shown(&path.display().to_string(), &text, found);
        let found = counted::claims_of(&file, &text)
            .map_err(|found| tasks::cannot_be_used(&path.display().to_string(), &shown(&found)))?;
        if !found.warnings.is_empty() && !quiet {
            say(&shown(&found.warnings));
        }
        if let Some(line) = counted::left_to_times(&file, path)?.filter(|_| !quiet) {
            say(&line);
        }
        let mut spaces: Vec<MetricSpace> = Vec::new();
        for claim in &found.claims {
            claim.formula.value.for_each(&mut |atom| {
                for of in atom.metrics() {
                    if !spaces.contains(&of.space) {
                        spaces.push(of.space.clone());
                    }
                }
            });
        }
        Ok(Self { text, found, spaces })
    }

    /// Whether a metric of a claim needs this.
    pub fn need(&self, need: Need) -> bool {
        let mut needs = false;
        for claim in &self.found.claims {
            claim.formula.value.for_each(&mut |atom: &MetricAtom| {
                let of = |of: &MetricOf| {
                    metrics::all().nth(of.metric).is_some_and(|one| one.needs.contains(&need))
                };
                needs |= atom.metrics().any(of);
            });
        }
        needs
    }

    /// The spaces of the claims' metrics, to add up counts in.
    pub fn spaces(&self, library: &Library) -> Vec<Space> {
        let usual = Space::usual(library);
        let space = |space: &MetricSpace| match space {
            MetricSpace::Methods(name, pattern) => Some(Space::of(name, pattern.clone())),
            MetricSpace::Whole | MetricSpace::App | MetricSpace::Lib => {
                usual.iter().find(|one| one.name == space.name()).cloned()
            }
        };
        self.spaces.iter().filter_map(space).collect()
    }

    /// The results of all claims by the values of their spaces. `empty` names the spaces that have no method.
    pub fn judged(&self, values: &Values, empty: &[String]) -> Judged<'_> {
        let result = |claim: &MetricClaim| {
            let mut value = |of: &MetricOf| {
                let side = looked_up(of, values, empty);
                let [least, most] = side.found?;
                // A sampled value proves nothing, and neither does its interval.
                let is_whole = !matches!(side.exactness, Some(Exactness::Partial | Exactness::Sampled));
                Some(Counted { least, most, is_whole })
            };
            let verdict = judge_counts(&claim.formula.value, &mut value);
            let mut texts = Vec::new();
            claim.formula.for_each_relation(&mut |span| {
                texts.push(one_line(self.text.get(span.start..span.end).unwrap_or_default().trim()));
            });
            let mut texts = texts.into_iter();
            let mut parts = Vec::new();
            claim.formula.value.for_each(&mut |atom: &MetricAtom| {
                let side = |side: &MetricOperand| match side {
                    MetricOperand::Number(number) => {
                        Side { found: Some([*number; 2]), exactness: None, reasons: Vec::new() }
                    }
                    MetricOperand::Metric(of) => looked_up(of, values, empty).times(of.factor),
                };
                let sides = [side(&atom.left), side(&atom.right)];
                let standing = judge_counts(&Formula::Relation(atom.clone()), &mut value).standing();
                parts.push(Part { text: texts.next().unwrap_or_default(), sides, standing });
            });
            let mut spaces = Vec::new();
            claim
                .formula
                .value
                .for_each(&mut |atom| spaces.extend(atom.metrics().map(|of| of.space.clone())));
            Judgement { verdict, parts, is_elsewhere: spaces.iter().all(|space| is_empty(space, empty)) }
        };
        Judged { claims: self, results: self.found.claims.iter().map(result).collect() }
    }

    /// The statement of a claim, without its comment.
    fn quote(&self, claim: &MetricClaim) -> String {
        one_line(self.text.get(claim.span.start..claim.span.end).unwrap_or_default().trim())
    }
}

/// Says the results, writes them for build servers, and gives the exit status. There is one result for each JVM.
///
/// # Errors
/// When the file cannot be written; one line of text.
pub fn report(judged: &[Judged<'_>], junit: Option<&Path>, quiet: bool) -> Result<ExitStatus, String> {
    let Some(first) = judged.first() else { return Ok(ExitStatus::AllHold) };
    let results: Vec<Vec<Of<'_>>> = (0..first.results.len()).map(|at| results(judged, at)).collect();
    let claims: Vec<Claim> = results.iter().enumerate().map(|(at, results)| claim(results, at)).collect();
    if !quiet {
        counts(&claims).iter().for_each(|line| say(line));
        let rows: Vec<Row> = results.iter().map(|results| row(results)).collect();
        ending::table(&rows, ending::width()).iter().for_each(|line| say(line));
        // A claim that is proved says all in its line.
        let is_open = |claim: &Claim| !claim.said.iter().all(|said| said.starts_with(PROVED));
        for (claim, results) in claims.iter().zip(&results).filter(|(claim, _)| is_open(claim)) {
            for (of, said) in results.iter().zip(&claim.said) {
                let jvm = if judged.len() > 1 { format!("JVM {}: ", of.jvm) } else { String::new() };
                say(&format!("{}: {jvm}{said}", claim.text));
            }
        }
    }
    if let Some(path) = junit {
        junit::write_claims(path, &claims, &[])?;
    }
    Ok(exit_status(claims.iter().map(|claim| claim.standing.unwrap_or(Standing::Undecided))))
}

/// The result of a claim in a JVM.
struct Of<'j> {
    /// Number of the JVM, from 1.
    jvm: usize,
    judged: &'j Judged<'j>,
    claim: &'j MetricClaim,
    result: &'j Judgement,
}

/// The results of a claim in the JVMs that have methods for it; in all, where none has.
fn results<'j>(judged: &'j [Judged<'j>], at: usize) -> Vec<Of<'j>> {
    let of = |(jvm, judged): (usize, &'j Judged<'j>)| {
        let (claim, result) = (judged.claims.found.claims.get(at)?, judged.results.get(at)?);
        Some(Of { jvm: jvm + 1, judged, claim, result })
    };
    let all = || judged.iter().enumerate().filter_map(of);
    let there: Vec<Of<'_>> = all().filter(|of| !of.result.is_elsewhere).collect();
    if there.is_empty() { all().collect() } else { there }
}

/// A claim with its results.
fn claim(results: &[Of<'_>], at: usize) -> Claim {
    let text = results.first().map(|of| match &of.claim.title {
        Some(title) => one_line(title),
        None => of.judged.claims.quote(of.claim),
    });
    Claim {
        kind: Kind::Metric,
        number: at + 1,
        text: text.unwrap_or_default(),
        standing: worst(results.iter().map(|of| of.result.verdict.standing())),
        said: results.iter().map(|of| of.result.said(of.claim.title.is_none())).collect(),
        judged: Vec::new(),
    }
}

/// A line of the table: the claim with its worst result.
fn row(results: &[Of<'_>]) -> Row {
    let rows = results.iter().map(|of| of.judged.row(of.claim, of.result));
    let mut worst = rows.min_by_key(Row::rank).unwrap_or_else(|| Row::of(String::new()));
    if results.len() > 1 {
        worst.claim = format!("{} (worst of {} JVMs)", worst.claim, results.len());
    }
    worst
}

impl Judged<'_> {
    fn row(&self, claim: &MetricClaim, result: &Judgement) -> Row {
        let span = claim.formula.span;
        let formula = one_line(self.claims.text.get(span.start..span.end).unwrap_or_default().trim());
        let titled = claim.title.as_ref().map(|title| format!("{title}: {formula}"));
        let mut row = Row::of(titled.unwrap_or_else(|| self.claims.quote(claim)));
        row.title = claim.title.clone();
        (row.standing, row.basis) = (Some(result.verdict.standing()), result.verdict.basis);
        if let Some([least, most]) = result.telling().and_then(Part::shown) {
            let limits = result.telling().map(Part::limits).unwrap_or_default();
            let [least_text, most_text] = [least, most].map(|bound| number(bound, &limits));
            match least < most {
                true => row.interval = format!("[{least_text}, {most_text}]"),
                false => row.figure = least_text,
            }
        }
        row
    }

    /// The results for the JSON document of metrics.
    pub fn json(&self) -> Vec<JsonClaim> {
        let claim = |(at, (claim, result)): (usize, (&MetricClaim, &Judgement))| JsonClaim {
            number: at + 1,
            line: claim.line,
            title: claim.title.clone(),
            text: self.claims.quote(claim),
            result: match result.verdict.standing() {
                Standing::Holds => "holds",
                Standing::Fails => "fails",
                Standing::Undecided | Standing::Error => "undecided",
            },
            basis: result.verdict.basis.map(|basis| basis.to_string()),
            relations: result.parts.iter().map(JsonRelation::of).collect(),
        };
        self.claims.found.claims.iter().zip(&self.results).enumerate().map(claim).collect()
    }
}

impl Judgement {
    /// The result in words. A comparison that stands alone is not said again.
    fn said(&self, is_alone: bool) -> String {
        let mut text = word(self.verdict.standing()).to_owned();
        if let Some(basis) = self.verdict.basis {
            text = format!("{text} ({basis})");
        }
        let sides = || self.parts.iter().flat_map(|part| &part.sides);
        let has = |exactness| sides().any(|side| side.found.is_some() && side.exactness == Some(exactness));
        let of = match (has(Exactness::Partial), has(Exactness::Bounded), has(Exactness::Exact)) {
            (true, ..) => Some("partial counts"),
            _ if has(Exactness::Sampled) => Some("samples"),
            (false, true, _) => Some("counts between bounds"),
            (false, false, true) => Some("exact counts"),
            (false, false, false) => None,
        };
        let mut said: Vec<String> = of.map(str::to_owned).into_iter().collect();
        let part = |part: &Part| match is_alone {
            true => format!("it is {}", part.said()),
            false => format!("{}: it is {}", part.text, part.said()),
        };
        said.extend(self.parts.iter().map(part));
        let mut reasons: Vec<&str> = Vec::new();
        for reason in sides().flat_map(|side| &side.reasons) {
            if !reasons.contains(&&**reason) {
                reasons.push(reason);
            }
        }
        said.extend(reasons.into_iter().map(str::to_owned));
        format!("{text}: {}", said.join("; "))
    }

    /// The part that says most about the verdict: one that is as the whole is.
    fn telling(&self) -> Option<&Part> {
        let wanted = self.verdict.standing();
        self.parts.iter().find(|part| part.standing == wanted).or_else(|| self.parts.first())
    }
}

impl Part {
    fn said(&self) -> String {
        let [left, right] = &self.sides;
        match (left.exactness, right.exactness) {
            (Some(_), None) => left.said(&self.limits()),
            (None, Some(_)) => right.said(&self.limits()),
            _ => format!("{} against {}", left.said(&right.bounds()), right.said(&left.bounds())),
        }
    }

    /// Numbers that a metric is compared with.
    fn limits(&self) -> Vec<f64> {
        self.sides.iter().filter(|side| side.exactness.is_none()).flat_map(Side::bounds).collect()
    }

    /// The value of the first metric.
    fn shown(&self) -> Option<[f64; 2]> {
        self.sides.iter().find(|side| side.exactness.is_some()).and_then(|side| side.found)
    }
}

impl Side {
    fn none(why: &str) -> Self {
        Self { found: None, exactness: Some(Exactness::Exact), reasons: vec![why.to_owned()] }
    }

    fn of(value: &Value) -> Self {
        let found = value.found.map(|bounds| bounds.map(spl_analysis::Figure::value));
        Self { found, exactness: Some(value.exactness), reasons: value.reasons.clone() }
    }

    fn times(mut self, factor: f64) -> Self {
        self.found = self.found.map(|bounds| bounds.map(|bound| bound * factor));
        self
    }

    fn bounds(&self) -> Vec<f64> {
        self.found.into_iter().flatten().collect()
    }

    /// The value, with digits that tell it from these limits.
    fn said(&self, limits: &[f64]) -> String {
        match self.found {
            None => "without a value".to_owned(),
            Some([least, most]) if least == most => number(least, limits),
            Some([least, most]) => format!("{} to {}", number(least, limits), number(most, limits)),
        }
    }
}

/// Whether no method of the drill is of a space that a pattern names.
fn is_empty(space: &MetricSpace, empty: &[String]) -> bool {
    matches!(space, MetricSpace::Methods(..)) && empty.iter().any(|name| name == space.name())
}

/// The value of a metric, without the claim's factor.
fn looked_up(of: &MetricOf, values: &Values, empty: &[String]) -> Side {
    let name = of.space.name();
    if is_empty(&of.space, empty) {
        return Side::none(&format!(
            "no method of the drill's classes fits {name}: its class was not loaded, or look for a typing error"
        ));
    }
    let Some(metric) = metrics::all().nth(of.metric) else { return Side::none("there is no such metric") };
    if let Some((_, needs)) = values.lacking.iter().find(|(lacking, _)| *lacking == metric) {
        let texts: Vec<&str> = needs.iter().copied().map(Need::text).collect();
        let texts = texts.join(" and ");
        let command = Need::command(needs);
        return Side::none(&format!("{} needs {texts}; `{command}` has it", metric.full_name()));
    }
    let in_space = |space: &&InSpace| space.name == name;
    let Some(space) = values.spaces.iter().find(in_space) else {
        return Side::none("no class of the library counted; --jdk counts the JDK's");
    };
    // Methods that did not count may have any value.
    if !space.uncounted.is_empty() && !metric.is_of_events() {
        return Side::none(&space.uncounted.join("; "));
    }
    let measured = space.metrics.iter().find(|one| one.metric == metric);
    let value = measured.and_then(|one| one.values.get(of.key.unwrap_or_default()));
    value.map_or_else(|| Side::none("it was not computed"), Side::of)
}

/// A value with six digits, or with as many as show on which side of the limits it is; whole numbers in full.
fn number(value: f64, limits: &[f64]) -> String {
    if value.fract() == 0.0 {
        return format!("{value}");
    }
    let tells = |text: &String| {
        let shown = text.parse().unwrap_or(value);
        limits.iter().all(|limit| value.total_cmp(limit) == f64::total_cmp(&shown, limit))
    };
    let rounded =
        |digits: usize| format!("{:.*e}", digits - 1, value).parse::<f64>().unwrap_or(value).to_string();
    (6..17).map(rounded).find(tells).unwrap_or_else(|| value.to_string())
}

/// A claim in JSON.
#[derive(Debug, Serialize)]
pub struct JsonClaim {
    number: usize,
    line: usize,
    title: Option<String>,
    text: String,
    result: &'static str,
    basis: Option<String>,
    relations: Vec<JsonRelation>,
}

#[derive(Debug, Serialize)]
struct JsonRelation {
    text: String,
    left: JsonSide,
    right: JsonSide,
}

#[derive(Debug, Serialize)]
struct JsonSide {
    least: Option<f64>,
    most: Option<f64>,
    exactness: Option<&'static str>,
    reasons: Vec<String>,
}

impl JsonRelation {
    fn of(part: &Part) -> Self {
        let [left, right] = part.sides.each_ref().map(|side| JsonSide {
            least: side.found.map(|[least, _]| least),
            most: side.found.map(|[_, most]| most),
            exactness: side.exactness.map(Exactness::name),
            reasons: side.reasons.clone(),
        });
        Self { text: part.text.clone(), left, right }
    }
}
