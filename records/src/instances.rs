//! The instances of a program that several JVMs of a run were (`instances.json`): which claims were judged
//! over which of them, and how they differ.

use serde::{Deserialize, Serialize};
use spl_verdict::{Instances, OneInstance};

const SCHEMA: &str = "spl.instances/1";

/// The document.
///
/// ```
/// use spl_records::{InstancesFile, OfClaim};
/// let claim = OfClaim { number: 1, text: "p/C.f()V < p/C.g()V".to_owned(), ..OfClaim::default() };
/// let file = InstancesFile { instances: vec!["web-1:4711".to_owned()], claims: vec![claim] };
/// assert_eq!(InstancesFile::from_json(&file.to_json()), Ok(file));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InstancesFile {
    /// The instances that were measured, by name and process id.
    pub instances: Vec<String>,
    /// The claims that were judged over at least two of them, comparisons first.
    pub claims: Vec<OfClaim>,
}

/// The instances of a claim.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OfClaim {
    /// Number of the claim, from 1.
    pub number: usize,
    /// Its text, or its title.
    pub text: String,
    /// Variance between instances of the ratio's logarithm, beyond the error of each one's own ratio; `None`
    /// when it is not known.
    pub between: Option<f64>,
    /// Standard deviation between instances, as a share of the ratio; `None` when it is not known.
    pub spread: Option<f64>,
    /// The instances with enough windows.
    pub instances: Vec<OfInstance>,
    /// A sentence for each instance that differs from the others.
    pub odd: Vec<String>,
}

/// Figures of one instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfInstance {
    /// Its name and process id.
    pub name: String,
    /// Number of windows in which all methods of the claim were called.
    pub windows: u64,
    /// Ratio of the means there, without the claim's factors; with a bound, of the scaled mean to it.
    pub ratio: f64,
    /// Lower end of the ratio's interval; `None` when it has none.
    pub low: Option<f64>,
    /// Upper end of the interval; `None` when it has none.
    pub high: Option<f64>,
    /// Mean of the left side, nanoseconds; scaled if the other side is a bound.
    pub left_ns: f64,
    /// Mean of the right side, or the bound, nanoseconds.
    pub right_ns: f64,
    /// The ratio over that of the others, if it differs.
    #[serde(default)]
    pub odd_ratio: Option<f64>,
    /// The length of its calls over that of the others, if it differs.
    #[serde(default)]
    pub odd_speed: Option<f64>,
}

#[derive(Serialize, Deserialize)]
struct Json {
    schema: String,
    instances: Vec<String>,
    claims: Vec<OfClaim>,
}

impl OfClaim {
    /// The figures of a claim's last look.
    #[must_use]
    pub fn new(number: usize, text: String, instances: &Instances) -> Self {
        let finite = |value: f64| value.is_finite().then_some(value);
        Self {
            number,
            text,
            between: finite(instances.between),
            spread: finite(instances.spread()),
            instances: instances.each.iter().map(OfInstance::from).collect(),
            odd: instances.oddities(),
        }
    }
}

impl From<&OneInstance> for OfInstance {
    fn from(one: &OneInstance) -> Self {
        let finite = |value: f64| value.is_finite().then_some(value);
        let [left_ns, right_ns] = one.means_ns;
        Self {
            name: one.name.clone(),
            windows: one.windows,
            ratio: one.ratio,
            low: finite(one.low),
            high: finite(one.high),
            left_ns,
            right_ns,
            odd_ratio: one.odd_ratio,
            odd_speed: one.odd_speed,
        }
    }
}

impl InstancesFile {
    /// The text of the file.
    #[must_use]
    pub fn to_json(&self) -> String {
        let Self { instances, claims } = self.clone();
        let json = Json { schema: SCHEMA.to_owned(), instances, claims };
        let text = serde_json::to_string_pretty(&json).expect("texts and numbers are always JSON");
        spl_model::plain_json(&text) + "\n"
    }

    /// Reads the text of the file.
    ///
    /// # Errors
    /// When it is not JSON of this layout, or has another schema; one line of text.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let json: Json = serde_json::from_str(text).map_err(|e| format!("not a list of instances: {e}"))?;
        if json.schema != SCHEMA {
            return Err(format!("it has the schema {:?}, this spl knows {SCHEMA:?}", json.schema));
        }
        Ok(Self { instances: json.instances, claims: json.claims })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_back_and_hostile_names_stay_on_their_line() {
        let one = OneInstance {
            name: "a\u{1b}[2J\n:1".to_owned(),
            windows: 9,
            ratio: 0.5,
            low: 0.0,
            high: f64::INFINITY,
            means_ns: [5.0, 10.0],
            odd_ratio: None,
            odd_speed: Some(2.0),
        };
        let instances = Instances { each: vec![one], between: f64::NAN };
        let claim = OfClaim::new(3, "f < g".to_owned(), &instances);
        assert_eq!((claim.between, claim.instances[0].high, claim.instances[0].low), (None, None, Some(0.0)));
        let file = InstancesFile { instances: vec!["b:2".to_owned()], claims: vec![claim] };
        let text = file.to_json();
        assert!(!text.contains('\u{1b}'), "{text}");
        assert_eq!(InstancesFile::from_json(&text), Ok(file));
        assert!(InstancesFile::from_json(&text.replace("instances/1", "instances/2")).is_err());
        assert!(InstancesFile::from_json("[]").is_err());
    }
}
