//! Lifetimes of sampled objects, in collections.

use crate::amount::{Amount, wilson};
use crate::bins::Bin;
use serde::{Deserialize, Serialize};

/// Lifetimes that are told apart: 1, 2, and so on, and more.
pub const LIFETIMES: usize = 33;
/// Last lifetimes of the bins, as *J has them; the last bin has all longer ones.
const BINS: [usize; 7] = [1, 2, 3, 4, 8, 16, 32];

/// Sampled objects by their lifetimes, each by the allocated bytes that it stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lifetimes {
    /// Objects that are gone, by the number of collections that began in their life, from 1 on; the last number is of all longer lives.
    pub gone: Vec<u64>,
    /// The same objects, by the least lifetime that they may have had.
    pub gone_at_least: Vec<u64>,
    /// Objects that were there at the end, by the collections so far, from 0 on; the last number is of all others.
    pub there: Vec<u64>,
    /// Objects that were not followed.
    pub unfollowed: u64,
}

/// The share of a bin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// The lifetimes.
    pub bin: Bin,
    /// The share of the bytes.
    pub share: f64,
    /// Its 95% interval.
    pub interval: [f64; 2],
}

impl Lifetimes {
    /// Whether the numbers can be.
    #[must_use]
    pub fn is_possible(&self) -> bool {
        let all = self.gone.iter().chain(&self.there).try_fold(0_u64, |sum, one| sum.checked_add(*one));
        let at_least = self.gone_at_least.iter().try_fold(0_u64, |sum, one| sum.checked_add(*one));
        let lengths = [self.gone.len(), self.gone_at_least.len(), self.there.len()];
        lengths == [LIFETIMES, LIFETIMES, LIFETIMES + 1]
            && all.is_some()
            && at_least == Some(self.gone.iter().sum())
    }

    /// Objects that were followed, and those of them that are gone.
    #[must_use]
    pub fn followed(&self) -> [u64; 2] {
        let gone = self.gone.iter().sum();
        [self.there.iter().sum::<u64>() + gone, gone]
    }

    /// The share of each bin in the allocated bytes, up to the longest lifetime that any object could have, with an interval that holds for the
    /// longest and the shortest lives that are possible; and the share of what outlived that.
    #[must_use]
    pub fn shares(&self) -> (Vec<Share>, f64) {
        let (mut shares, outlived) = AtRisk { gone: &self.gone, there: &self.there }.shares();
        let (shortest, _) = AtRisk { gone: &self.gone_at_least, there: &self.there }.shares();
        for (one, other) in shares.iter_mut().zip(&shortest) {
            let ([least, most], [other_least, other_most]) = (one.interval, other.interval);
            one.interval = [least.min(other_least), most.max(other_most)];
        }
        // A bin that only long lives have may be empty.
        for one in shares.iter_mut().skip(shortest.len()) {
            one.interval[0] = 0.0;
        }
        (shares, outlived)
    }

    /// The shares as amounts.
    pub(crate) fn amounts(&self) -> Vec<(Bin, Amount)> {
        let ([followed, gone], (shares, alive)) = (self.followed(), self.shares());
        let mut reasons = vec![format!(
            "sampled, with 95% intervals: the objects of {gone} of {followed} intervals between samples are gone, each of the same number of allocated bytes"
        )];
        if alive > 0.0 {
            reasons.push(format!(
                "{:.1}% of the bytes outlived all collections that followed them",
                100.0 * alive
            ));
        }
        if self.unfollowed > 0 {
            reasons.push(format!(
                "the objects of {} more intervals were not followed: too many were there at once",
                self.unfollowed
            ));
        }
        let none = match shares.is_empty() {
            true => "no collection began after a sampled allocation",
            false => "no sampled object was followed up to this number of collections",
        };
        let mut all = Self::without(&Amount::none(none));
        for ((_, amount), one) in all.iter_mut().zip(shares) {
            *amount = Amount { reasons: reasons.clone(), ..Amount::sampled(one.interval) };
        }
        all
    }

    /// All bins with one amount.
    pub(crate) fn without(amount: &Amount) -> Vec<(Bin, Amount)> {
        let lows = BINS.iter().scan(1, |low, last| Some(std::mem::replace(low, last + 1)));
        let bins = lows.zip(BINS.map(Some)).chain([(BINS[BINS.len() - 1] + 1, None)]);
        let bin =
            |(low, high): (usize, Option<usize>)| Bin { low: low as u64, high: high.map(|last| last as u64) };
        bins.map(|one| (bin(one), amount.clone())).collect()
    }
}

/// Objects that are gone, from a lifetime of 1 on, and objects that are there, from 0 collections on.
struct AtRisk<'l> {
    gone: &'l [u64],
    there: &'l [u64],
}

impl AtRisk<'_> {
    /// The shares by the estimate of Kaplan and Meier (1958), for which an object that was there at the end counts in the collections that it has
    /// seen, with Greenwood's variance; and the share of what outlived all.
    fn shares(&self) -> (Vec<Share>, f64) {
        let (mut shares, mut alive, mut spread) = (Vec::new(), 1.0, 0.0);
        let mut first = 1;
        for last in BINS {
            let at_first = self.number(first);
            if at_first == 0 {
                return (shares, alive);
            }
            let (mut stays, mut own_spread) = (1.0, 0.0);
            for lifetime in first..=last {
                let (risk, gone) = (self.number(lifetime), self.gone[lifetime - 1]);
                if risk == 0 {
                    break;
                }
                stays *= 1.0 - gone as f64 / risk as f64;
                own_spread += gone as f64 / risk as f64 / (risk - gone).max(1) as f64;
            }
            let share: f64 = alive * (1.0 - stays);
            let variance = share * share * spread + alive * alive * stays * stays * own_spread;
            let enough = if variance > 0.0 { share * (1.0 - share) / variance } else { 0.0 };
            let number = if enough > 0.0 { enough } else { at_first as f64 };
            let bin = Bin { low: first as u64, high: Some(last as u64) };
            shares.push(Share { bin, share, interval: wilson(share, number.min(self.number(1) as f64)) });
            alive *= stays;
            spread += own_spread;
            first = last + 1;
        }
        // Objects that outlived all bins are in the last one, gone or not.
        let risk = self.number(first);
        if risk == 0 {
            return (shares, alive);
        }
        let bin = Bin { low: first as u64, high: None };
        let number = if spread > 0.0 { (1.0 - alive) / (alive * spread) } else { risk as f64 };
        let interval = wilson(alive, number.min(self.number(1) as f64));
        shares.push(Share { bin, share: alive, interval });
        (shares, 0.0)
    }

    /// Objects that lived when the collection of this number in their life began, from 1 on, and of which it is known whether they outlived it.
    fn number(&self, lifetime: usize) -> u64 {
        let of = |list: &[u64], from: usize| list.get(from..).unwrap_or_default().iter().sum::<u64>();
        of(self.gone, lifetime - 1) + of(self.there, lifetime)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lifetimes(gone: &[(usize, u64)], there: &[(usize, u64)]) -> Lifetimes {
        let mut all =
            Lifetimes { gone: vec![0; LIFETIMES], there: vec![0; LIFETIMES + 1], ..Lifetimes::default() };
        gone.iter().for_each(|(lifetime, objects)| all.gone[lifetime - 1] = *objects);
        there.iter().for_each(|(age, objects)| all.there[*age] = *objects);
        all.gone_at_least.clone_from(&all.gone);
        all
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} in place of {expected}");
    }

    #[test]
    fn shares_are_those_of_all_objects_where_all_are_gone() {
        let (shares, alive) = lifetimes(&[(1, 60), (2, 20), (6, 10), (33, 10)], &[]).shares();
        let found: Vec<f64> = shares.iter().map(|one| one.share).collect();
        for (found, expected) in found.iter().zip([0.6, 0.2, 0.0, 0.0, 0.1, 0.0, 0.0, 0.1]) {
            close(*found, expected);
        }
        assert_eq!((shares.len(), alive), (8, 0.0));
        let [least, most] = shares[0].interval;
        assert!(0.50 < least && least < 0.51 && 0.69 < most && most < 0.70, "as of 100: {least} {most}");
    }

    #[test]
    fn objects_that_are_there_count_in_the_collections_that_they_have_seen() {
        // Kaplan and Meier by hand: 100 at risk of 1, of which 50 went; 30 of the rest have seen no more; 20 at risk of 2, of which 10 went.
        let (shares, alive) = lifetimes(&[(1, 50), (2, 10)], &[(1, 30), (2, 10), (0, 7)]).shares();
        close(shares[0].share, 0.5);
        close(shares[1].share, 0.25);
        assert_eq!((shares.len(), alive), (2, 0.25));
        assert!(shares[1].interval[1] - shares[1].interval[0] > 0.2, "{shares:?}");
    }

    #[test]
    fn lives_that_may_be_shorter_have_wider_intervals() {
        let mut late = lifetimes(&[(1, 50), (2, 50)], &[]);
        let [exact_least, exact_most] = late.shares().0[0].interval;
        (late.gone_at_least[0], late.gone_at_least[1]) = (100, 0);
        assert!(late.is_possible());
        let (shares, _) = late.shares();
        assert!(shares[0].interval[0] == exact_least && shares[0].interval[1] > exact_most, "{shares:?}");
        assert_eq!(shares[1].interval[0], 0.0, "perhaps none lived for two: {shares:?}");
    }

    #[test]
    fn all_bins_are_there_and_some_have_no_value() {
        let bins = lifetimes(&[(1, 50), (2, 10)], &[(2, 10)]).amounts();
        let keys: Vec<String> = bins.iter().map(|(bin, _)| bin.text()).collect();
        assert_eq!(keys, ["1", "2", "3", "4", "5-8", "9-16", "17-32", "33+"]);
        let known: Vec<bool> = bins.iter().map(|(_, amount)| amount.found.is_some()).collect();
        assert_eq!(known, [true, true, false, false, false, false, false, false]);
    }

    #[test]
    fn nothing_is_known_without_collections() {
        assert_eq!(lifetimes(&[], &[(0, 9)]).shares(), (Vec::new(), 1.0));
        let (shares, alive) = lifetimes(&[], &[(33, 100)]).shares();
        assert_eq!((shares.len(), shares[7].share, alive), (8, 1.0, 0.0), "all outlived 32 collections");
        assert!(shares[0].interval[1] < 0.05 && shares[7].interval[0] > 0.95, "{shares:?}");
    }
}
