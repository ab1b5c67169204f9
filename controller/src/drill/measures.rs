//! Which metrics differ between a call of the slow method of a claim and one of the other, from the counts that are there.

use super::reasons::RARE;
use spl_profile::{CallGraph, Work};
use spl_records::{WhyCertainty, WhyCounted, WhyFile, WhyMeasure};

/// The metrics that differ by more than what says nothing. A side has its counts, its method, and the work of a call.
pub fn of(sides: [(&CallGraph<'_>, &str, &Work); 2]) -> Vec<WhyMeasure> {
    let is_apart = sides.iter().all(|(graph, ..)| graph.is_apart());
    let misses = sides.iter().any(|(.., work)| work.unseen.iter().any(|site| site.count >= RARE));
    let certainty = match (is_apart, misses) {
        (false, _) => WhyCertainty::Average,
        (true, true) => WhyCertainty::AtLeast,
        (true, false) => WhyCertainty::Counted,
    };
    let all = [
        (WhyCounted::Calls, sides.map(|(.., work)| work.parts.values().map(|part| part.calls).sum())),
        (WhyCounted::Bytecodes, sides.map(|(.., work)| work.bytecodes())),
        (WhyCounted::Made, sides.map(|(.., work)| work.events().made)),
        (WhyCounted::Polymorphic, sides.map(|(graph, method, _)| graph.polymorphic_calls(method))),
        (WhyCounted::Caught, sides.map(|(.., work)| work.events().caught)),
        (WhyCounted::Locked, sides.map(|(.., work)| work.events().locked)),
    ];
    let telling = all.into_iter().filter(|(_, counts)| differs(*counts));
    telling.map(|(of, counts)| WhyMeasure { of, counts, certainty }).collect()
}

/// Whether the greater count is not seldom, and more than the other by a factor that says something.
fn differs([one, other]: [f64; 2]) -> bool {
    let (greater, less) = (one.max(other), one.min(other));
    greater >= RARE && greater > less * WhyFile::TELLING
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_told() {
        for (counts, expected) in [
            ([30.0, 1.0], true),
            ([1.0, 30.0], true),
            ([1.1, 1.0], false),
            ([1.0, 0.0], true),
            ([0.005, 0.0], false),
            ([0.0, 0.0], false),
        ] {
            assert_eq!(differs(counts), expected, "{counts:?}");
        }
    }
}
