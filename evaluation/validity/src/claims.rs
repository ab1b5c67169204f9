//! Claims about two methods, with their truth.

use crate::processes::{Process, Sizes};
use crate::recording::method;
use serde::Serialize;

/// Content of a claim: something that lies at its limit, or far from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scenario {
    /// Both methods are equally fast, and bounds are the truth itself.
    Limit,
    /// The right method takes [`CLEAR`] times as long, and bounds are as far away.
    Clear,
}

/// Distance of a clear claim from its limit.
pub const CLEAR: f64 = 1.2;
/// The tolerance of a bare `=`, of the claim within a tolerance, and how near to it the claims at its limit are.
const WITHIN: f64 = 0.05;
const NEARLY: f64 = 0.0001;

/// A claim.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// As in a task file.
    pub text: String,
    /// By which results name it: the title of an assertion, or its text.
    pub key: String,
    /// Kind of the claim, for the tables.
    pub name: String,
    /// Whether it is true.
    pub truth: bool,
    /// The accepted probability of a wrong decision.
    pub level: f64,
}

impl Scenario {
    /// Time of the right method as a multiple of the left one's.
    #[must_use]
    pub fn ratio(self) -> f64 {
        if self == Self::Limit { 1.0 } else { CLEAR }
    }

    /// All claims about a process whose truth is known.
    #[must_use]
    pub fn claims(self, process: &Process, limit: f64) -> Vec<Claim> {
        let mut list = List { claims: Vec::new(), process: *process, limit };
        match self {
            Self::Limit => list.at_limit(),
            Self::Clear => list.clear(),
        }
        list.claims
    }
}

struct List {
    claims: Vec<Claim>,
    process: Process,
    limit: f64,
}

impl List {
    /// A line of its own; `L` and `R` stand for the methods.
    fn line(&mut self, name: &str, text: &str, truth: bool) {
        let text = named(text);
        let key = text.clone();
        self.claims.push(Claim { text, key, name: name.to_owned(), truth, level: self.limit });
    }

    fn assert(&mut self, name: &str, text: &str, truth: bool) {
        self.assert_at(name, text, truth, self.limit);
    }

    fn assert_at(&mut self, name: &str, text: &str, truth: bool, level: f64) {
        let (title, name) = (format!("{name} {truth}"), format!("assert {name}"));
        let text = format!("assert \"{title}\": {}", named(text));
        self.claims.push(Claim { text, key: title, name, truth, level });
    }

    /// The same claim as a line and as an assertion.
    fn both(&mut self, name: &str, text: &str, truth: bool) {
        self.line(name, text, truth);
        self.assert(name, text, truth);
    }

    fn at_limit(&mut self) {
        self.both("f < g", "L < R", false);
        self.both("f <= g", "L <= R", true);
        self.both("f = g", "L = R", true);
        self.line("f >= g", "L >= R", true);
        self.line("f > g", "L > R", false);
        let (far, near) = (1.0 + WITHIN + NEARLY, 1.0 + WITHIN - NEARLY);
        self.line("f = c g within 5%, a little more", &format!("L = (1, {far}) R within 5%"), false);
        self.line("f = c g within 5%, a little less", &format!("L = (1, {near}) R within 5%"), true);
        self.assert("f < g | g < f", "L < R | R < L", false);
        self.assert("! (f < g)", "! L < R", true);
        self.assert("for all sizes: f <= g", "for all sizes: L <= R", true);
        self.assert("for some size: f < g", "for some size: L < R", false);
        self.assert_at("f < g at 1%", "L < R at 1%", false, 0.01);
        if let Some([mean, median, p99]) = self.bounds() {
            self.both("f < bound", &format!("L < {}", ns(mean)), false);
            self.both("f <= bound", &format!("L <= {}", ns(mean)), true);
            self.assert("f <= g & f <= bound", &format!("L <= R & L <= {}", ns(mean)), true);
            self.assert("f < g | f < bound", &format!("L < R | L < {}", ns(mean)), false);
            self.assert("f <= g => f < bound", &format!("L <= R => L < {}", ns(mean)), false);
            if self.parts_quantiles() {
                self.line("median(f) < bound", &format!("median(L) < {}", ns(median)), false);
                self.line("median(f) <= bound", &format!("median(L) <= {}", ns(median)), true);
                self.line("p99(f) < bound", &format!("p99(L) < {}", ns(p99)), false);
                self.line("p99(f) <= bound", &format!("p99(L) <= {}", ns(p99)), true);
            }
        }
        self.quantiles();
    }

    fn clear(&mut self) {
        self.both("f < g", "L < R", true);
        self.both("f >= g", "L >= R", false);
        self.line("f <= g", "L <= R", true);
        self.both("f = g", "L = R", false);
        self.line("f = g within 50%", "L = R within 50%", true);
        self.line("f <= 0.7 g", "L <= (1, 0.7) R", false);
        self.assert("for all sizes: f < g", "for all sizes: L < R", true);
        self.assert("! (f < g)", "! L < R", false);
        if let Some([mean, median, p99]) = self.bounds() {
            let (more, less) = (CLEAR, 1.0 / CLEAR);
            self.both("f <= bound", &format!("L <= {}", ns(mean * more)), true);
            self.both("f <= low bound", &format!("L <= {}", ns(mean * less)), false);
            self.assert("f < g & f <= bound", &format!("L < R & L <= {}", ns(mean * more)), true);
            self.assert("g < f | f <= low bound", &format!("R < L | L <= {}", ns(mean * less)), false);
            if self.parts_quantiles() {
                self.line("median(f) <= bound", &format!("median(L) <= {}", ns(median * more)), true);
                self.line("median(f) <= low bound", &format!("median(L) <= {}", ns(median * less)), false);
                self.both("p99(f) <= bound", &format!("p99(L) <= {}", ns(p99 * more)), true);
                self.line("p99(f) <= low bound", &format!("p99(L) <= {}", ns(p99 * less)), false);
            }
        }
        self.quantiles();
    }

    /// Comparisons of quantiles, in either direction.
    fn quantiles(&mut self) {
        if !self.parts_quantiles() || self.process.sizes != Sizes::None {
            return;
        }
        let ratio = if self.limit_ratio() { 1.0 } else { CLEAR };
        for (name, part) in [("median", 0.5), ("p99", 0.99)] {
            let left = self.process.marginal(0).quantile(part);
            let right = self.process.marginal(1).quantile(part) * ratio;
            let is_equal = (left / right - 1.0).abs() < 1e-9;
            self.line(
                &format!("{name}(f) < {name}(g)"),
                &format!("{name}(L) < {name}(R)"),
                left < right && !is_equal,
            );
            let truth = left <= right || is_equal;
            self.line(&format!("{name}(f) <= {name}(g)"), &format!("{name}(L) <= {name}(R)"), truth);
        }
    }

    /// Whether the claims so far are those at the limit.
    fn limit_ratio(&self) -> bool {
        self.claims.first().is_some_and(|claim| !claim.truth)
    }

    /// Mean, median and 99th percentile of the left method, where they stay the same.
    fn bounds(&self) -> Option<[f64; 3]> {
        let marginal = self.process.marginal(0);
        self.process
            .is_stationary()
            .then(|| [marginal.mean(), marginal.quantile(0.5), marginal.quantile(0.99)])
    }

    /// Whether the clock's steps are fine enough for a quantile of what it shows to be one of the times.
    fn parts_quantiles(&self) -> bool {
        (self.process.step_ns as f64) < self.process.mean_ns / 1000.0
    }
}

fn named(text: &str) -> String {
    text.replace('L', &method(0, 0)).replace('R', &method(1, 0))
}

/// A bound with a thousandth of a nanosecond.
fn ns(time: f64) -> String {
    format!("{} ns", (time * 1000.0).round() / 1000.0)
}

/// A task file of them.
#[must_use]
pub fn tasks(claims: &[Claim]) -> String {
    claims.iter().map(|claim| format!("{}\n", claim.text)).collect()
}
