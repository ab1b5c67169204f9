//! Claims with their figures, printed as they are measured.

use serde::Serialize;

/// All that was measured.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    schema: &'static str,
    claims: Vec<Claim>,
}

#[derive(Debug, Serialize)]
struct Claim {
    part: String,
    claim: String,
    /// The median of `forks`.
    figure: f64,
    /// Goal of the figure, its upper end; `None` where that is the limit.
    target: Option<f64>,
    /// Upper limit of the figure; `None` where nothing is claimed.
    limit: Option<f64>,
    /// The figure in each JVM.
    forks: Vec<f64>,
    holds: bool,
}

impl Report {
    /// Prints and keeps a claim: the median of the forks' figures is at most `limit`.
    pub fn at_most(&mut self, part: &str, claim: &str, unit: &str, forks: &[f64], limit: f64) {
        self.add(part, claim, unit, forks, None, Some(limit));
    }

    /// As [`at_most`](Self::at_most), and says by how much a stricter target is missed.
    pub fn aims_at(&mut self, part: &str, claim: &str, unit: &str, forks: &[f64], [target, limit]: [f64; 2]) {
        self.add(part, claim, unit, forks, Some(target), Some(limit));
    }

    /// Prints and keeps a figure about which nothing is claimed.
    pub fn note(&mut self, part: &str, what: &str, unit: &str, forks: &[f64]) {
        self.add(part, what, unit, forks, None, None);
    }

    fn add(
        &mut self,
        part: &str,
        claim: &str,
        unit: &str,
        forks: &[f64],
        target: Option<f64>,
        limit: Option<f64>,
    ) {
        let figure = median(forks);
        // A claim that could not be measured does not hold.
        let holds = limit.is_none_or(|limit| figure <= limit);
        let word = if holds { "ok  " } else { "FAIL" };
        let bound = limit.map_or_else(String::new, |limit| format!(", at most {limit}{unit}"));
        let (least, most) = forks.iter().fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(*x), b.max(*x)));
        let aim = match target {
            Some(target) if figure <= target => format!(", target {target}{unit}"),
            Some(target) => format!(", target {target}{unit} missed by {:.3}{unit}", figure - target),
            None => String::new(),
        };
        println!("{word} {part}: {claim}: {figure:.3}{unit} ({least:.3} to {most:.3}{aim}{bound})");
        let (part, claim, forks) = (part.to_owned(), claim.to_owned(), forks.to_vec());
        self.claims.push(Claim { part, claim, figure, target, limit, forks, holds });
    }

    /// Whether every claim holds.
    pub fn all_hold(&self) -> bool {
        self.claims.iter().all(|claim| claim.holds)
    }

    /// The report as JSON.
    pub fn json(&self) -> String {
        let report = Self { schema: "spl.overhead/1", claims: Vec::new() };
        let mut value = serde_json::to_value(report).unwrap_or_default();
        value["claims"] = serde_json::to_value(&self.claims).unwrap_or_default();
        format!("{value:#}\n")
    }
}

/// The median; not a number when there is none.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n => (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0,
    }
}
