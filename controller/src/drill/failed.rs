//! The claims of a measurement that fail, each with the program in which its reasons are looked for.

use crate::ending;
use crate::numbers::plural;
use spl_lang::Atom;
use spl_model::Sign;
use spl_records::{Why, WhyFile};
use spl_session::sequential::Sequential;
use spl_session::session::Session;
use spl_session::setup::Setup;
use spl_verdict::{Judged, OneInstance, Part, Standing};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// A measurement that is over.
#[derive(Debug)]
pub struct Measured {
    /// The claims that fail, and undecided comparisons whose times speak against them, with methods to compare; of a formula each of
    /// its comparisons. Each has the program in which it fails
    /// most clearly, if that is known.
    pub failed: Vec<Why>,
    /// Process ids and names of the measured programs that may still run.
    pub programs: Vec<(u32, Arc<str>)>,
    /// Folder of the results.
    pub folder: PathBuf,
    /// Whether the operator ended the measurement.
    pub interrupted: bool,
    /// Start of the controller's work.
    pub began: Instant,
}

/// Claims whose reasons are looked for in one program.
#[derive(Debug, PartialEq)]
pub struct Share {
    /// Its process id.
    pub pid: u32,
    /// Its name, of its host and its process id.
    pub name: Arc<str>,
    /// The claims.
    pub claims: Vec<Why>,
}

impl Measured {
    /// The result of a session.
    pub fn of(session: &Session<'_>, setup: &Setup) -> Self {
        Self {
            failed: failed(setup, session),
            programs: session.measured_programs(),
            folder: setup.config.result_file.parent().unwrap_or(Path::new("")).to_owned(),
            interrupted: session.was_interrupted(),
            began: session.began(),
        }
    }

    /// The claims shared out to the programs that still run: each claim to the one in which it fails most clearly, and one of
    /// which that is not known to the program with most of the others. Empty if no program runs.
    pub fn shares(&self) -> Vec<Share> {
        let runs = |pid: u32| Path::new(&format!("/proc/{pid}")).exists();
        shares(&self.failed, self.programs.iter().filter(|(pid, _)| runs(*pid)))
    }
}

fn shares<'a>(failed: &[Why], programs: impl Iterator<Item = &'a (u32, Arc<str>)>) -> Vec<Share> {
    let mut shares: Vec<Share> =
        programs.map(|(pid, name)| Share { pid: *pid, name: Arc::clone(name), claims: Vec::new() }).collect();
    let mut places = BTreeMap::new();
    for (place, share) in shares.iter().enumerate() {
        places.insert(Arc::clone(&share.name), place);
    }
    let mut others = Vec::new();
    for one in failed {
        match one.instance.as_deref().and_then(|name| places.get(name)) {
            Some(&place) => shares[place].claims.push(one.clone()),
            None => others.push(one.clone()),
        }
    }
    // The first one with most.
    let most = shares.iter().map(|share| share.claims.len()).max();
    if let Some(share) = shares.iter_mut().find(|share| Some(share.claims.len()) == most) {
        share.claims.extend(others);
    }
    let is_one = shares.len() == 1;
    shares.retain(|share| !share.claims.is_empty());
    for share in &mut shares {
        let name = (!is_one).then(|| share.name.to_string());
        share.claims.iter_mut().for_each(|one| one.instance.clone_from(&name));
    }
    shares
}

fn failed(setup: &Setup, session: &Session<'_>) -> Vec<Why> {
    let looks = session.sequential().map(Sequential::claims).unwrap_or_default();
    let methods = setup.methods();
    let name = |index: usize| methods.get(index).map(ToString::to_string);
    let rows = ending::rows(setup, session.results(), &looks);
    let program = &setup.program;
    let pairs = program.tasks.comparisons.iter().map(|one| vec![(one.left, one.sign, Some(one.right))]);
    let atoms = program.assertions.iter().map(|assertion| {
        let mut all = Vec::new();
        assertion.formula.value.for_each(&mut |atom| {
            all.push(match *atom {
                Atom::Pair { left, sign, right, .. } => (left.method, sign, Some(right.method)),
                Atom::Bound { times, sign, .. } => (times.method, sign, None),
            });
        });
        all
    });
    let mut found = Vec::new();
    for (index, (row, atoms)) in rows.into_iter().zip(pairs.chain(atoms)).enumerate() {
        let parts = looks.get(index).map(|look| &look.parts[..]).unwrap_or_default();
        let is_undecided = match row.standing {
            Some(Standing::Fails) => false,
            // A part of an undecided formula may say nothing about the whole.
            Some(Standing::Undecided) if atoms.len() == 1 && speak_against(parts, atoms[0].1) => true,
            _ => continue,
        };
        let each = session.sequential().and_then(|all| all.instances_by_now(index));
        let each = each.map(|all| all.each).unwrap_or_default();
        // The row of a formula has the figure of one of its comparisons.
        let figure = if atoms.len() == 1 { row.figure.clone() } else { String::new() };
        for (relation, (left, sign, right)) in atoms.into_iter().enumerate() {
            let ratio = ratio(&figure).filter(|_| right.is_some());
            let is_left = match sign {
                Sign::Less | Sign::LessOrEqual => true,
                Sign::Greater | Sign::GreaterOrEqual => false,
                Sign::Equal => ratio.is_none_or(|ratio| ratio > 1.0),
            };
            let (slow, quick) = if is_left { (Some(left), right) } else { (right, Some(left)) };
            let Some(slow) = slow.and_then(name) else { continue };
            let quick = quick.and_then(name);
            let times = ratio.map(|ratio| if is_left { ratio } else { 1.0 / ratio });
            let named = looks.get(index).and_then(|look| look.instance.clone());
            let instance = named.or_else(|| clearest(parts, each.clone(), relation, is_left));
            let (claim, figure) = (row.claim.clone(), figure.clone());
            found.push(Why { claim, is_undecided, slow, quick, figure, times, instance, ..Why::default() });
        }
    }
    found
}

/// The ratio in the words of the table of claims, where the digits of a large one stand in groups.
fn ratio(figure: &str) -> Option<f64> {
    let digits: String = figure.chars().filter(|one| !one.is_whitespace() && *one != ',').collect();
    digits.parse().ok()
}

/// Whether the times of an undecided comparison lie clearly on the other side of its limit.
fn speak_against(parts: &[Part], sign: Sign) -> bool {
    parts.iter().filter_map(|part| part.judged.as_ref().ok()).any(|judged| match sign {
        Sign::Less | Sign::LessOrEqual => judged.left_ns > judged.right_ns * WhyFile::TELLING,
        Sign::Greater | Sign::GreaterOrEqual => judged.right_ns > judged.left_ns * WhyFile::TELLING,
        // Nearly equal times may be any of it.
        Sign::Equal => false,
    })
}

/// Numbers of failed and of undecided claims, in words.
pub fn kinds(of: &[Why]) -> String {
    let number = |is_undecided: bool| {
        let claims = of.iter().filter(|one| one.is_undecided == is_undecided);
        claims.map(|one| &*one.claim).collect::<BTreeSet<&str>>().len() as u64
    };
    match (number(false), number(true)) {
        (failed, 0) => plural(failed, "failed claim"),
        (0, undecided) => plural(undecided, "undecided claim"),
        (failed, undecided) => format!("{failed} failed and {}", plural(undecided, "undecided claim")),
    }
}

/// The program in which a comparison of a claim fails most clearly: by the evidence of each one, else by its ratio. `None` where
/// programs are not told apart, and for medians and percentiles that fail in all of them.
fn clearest(parts: &[Part], each: Vec<OneInstance>, relation: usize, is_left: bool) -> Option<String> {
    let of_this = parts.iter().filter(|part| part.relation == relation);
    let judged = of_this.filter_map(|part| Some((part.instance.as_ref()?, part.judged.as_ref().ok()?)));
    let against = |judged: &Judged| judged.evidence.p_false;
    let by_evidence = judged.min_by(|(_, one), (_, other)| against(one).total_cmp(&against(other)));
    if let Some((name, _)) = by_evidence.filter(|(name, _)| !name.is_empty()) {
        return Some(name.clone());
    }
    let excess = |one: &OneInstance| if is_left { one.ratio } else { -one.ratio };
    each.into_iter().max_by(|one, other| excess(one).total_cmp(&excess(other))).map(|one| one.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use spl_model::Bucket;
    use spl_verdict::Evidence;

    #[test]
    fn evidence_in_a_program_counts_more_than_its_ratio() {
        let one = |(name, ratio): (&str, f64)| OneInstance {
            name: name.to_owned(),
            windows: 50,
            ratio,
            low: ratio,
            high: ratio,
            means_ns: [ratio, 1.0],
            odd_ratio: None,
            odd_speed: None,
        };
        let each = || [("a", 2.0), ("b", 3.0), ("c", 0.1)].map(one).to_vec();
        assert_eq!(clearest(&[], each(), 0, true).as_deref(), Some("b"));
        assert_eq!(clearest(&[], each(), 0, false).as_deref(), Some("c"));
        assert_eq!(clearest(&[], Vec::new(), 0, true), None);
        let part = |relation: usize, name: Option<&str>, p_false: f64| Part {
            relation,
            bucket: Bucket::All,
            instance: name.map(str::to_owned),
            judged: Ok(Judged {
                evidence: Evidence { p_true: 1.0, p_false },
                left_ns: 1.0,
                right_ns: 1.0,
                n_left: 5,
                n_right: None,
            }),
        };
        let parts = [part(0, Some("a"), 0.01), part(0, Some("c"), 0.2), part(1, Some("c"), 0.001)];
        assert_eq!(clearest(&parts, each(), 0, true).as_deref(), Some("a"));
        assert_eq!(clearest(&parts, each(), 1, true).as_deref(), Some("c"));
        // Evidence of all programs together tells none.
        assert_eq!(clearest(&[part(0, None, 0.01)], each(), 0, true).as_deref(), Some("b"));
        assert_eq!(clearest(&[part(0, Some(""), 0.01)], each(), 0, true).as_deref(), Some("b"));
    }

    #[test]
    fn large_ratios_have_digits_in_groups() {
        assert_eq!(
            ["53.6", "101\u{202f}684", "2 316"].map(ratio),
            [Some(53.6), Some(101_684.0), Some(2316.0)]
        );
        assert_eq!(ratio("1.09 ms"), None);
    }

    #[test]
    fn times_speak_against_an_undecided_claim_beyond_its_limit() {
        let part = |left_ns, right_ns| Part {
            relation: 0,
            bucket: Bucket::All,
            instance: None,
            judged: Ok(Judged {
                evidence: Evidence { p_true: 1.0, p_false: 1.0 },
                left_ns,
                right_ns,
                n_left: 5,
                n_right: None,
            }),
        };
        assert!(speak_against(&[part(66.0, 1.2)], Sign::LessOrEqual));
        assert!(!speak_against(&[part(66.0, 1.2)], Sign::GreaterOrEqual));
        assert!(speak_against(&[part(1.0, 1.2), part(1.0, 0.5)], Sign::Less), "in one of the buckets");
        assert!(!speak_against(&[part(1.05, 1.0)], Sign::Less), "too near");
        assert!(speak_against(&[part(1.0, 2.0)], Sign::Greater));
        assert!(!speak_against(&[part(9.0, 1.0)], Sign::Equal) && !speak_against(&[], Sign::Less));
    }

    #[test]
    fn each_claim_is_looked_at_in_the_program_where_it_fails_most_clearly() {
        let claim = |claim: &str, instance: Option<&str>| Why {
            claim: claim.to_owned(),
            instance: instance.map(str::to_owned),
            ..Why::default()
        };
        let failed =
            [claim("a", Some("w:2")), claim("b", Some("w:3")), claim("c", Some("w:3")), claim("d", None)];
        let named = |failed: &[Why], programs: &[u32]| {
            let programs: Vec<(u32, Arc<str>)> =
                programs.iter().map(|pid| (*pid, format!("w:{pid}").into())).collect();
            let shares = shares(failed, programs.iter());
            let text = |share: &Share| {
                let claims: Vec<String> = share
                    .claims
                    .iter()
                    .map(|one| format!("{}{}", one.claim, if one.instance.is_some() { "!" } else { "" }))
                    .collect();
                format!("{} {}", share.pid, claims.concat())
            };
            shares.iter().map(text).collect::<Vec<_>>()
        };
        assert_eq!(named(&failed, &[1, 2, 3]), ["2 a!", "3 b!c!d!"]);
        // The program of two claims has ended, and then there is only one.
        assert_eq!(named(&failed, &[1, 2]), ["2 a!b!c!d!"]);
        assert_eq!(named(&failed, &[1]), ["1 abcd"]);
        assert_eq!(named(&failed, &[]), [""; 0]);
        // Nothing is known of any: the first one.
        assert_eq!(named(&failed[3..], &[7, 8]), ["7 d!"]);
    }
}
