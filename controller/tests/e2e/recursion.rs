//! Recursion depths against what the program is known to do.

use crate::case::Case;
use spl_model::Sample;
use std::collections::BTreeMap;

/// Calls at each depth.
type Depths = BTreeMap<u32, u64>;

/// One call at each depth from 0 to `last`.
fn in_a_line(last: u32) -> Depths {
    (0..=last).map(|depth| (depth, 1)).collect()
}

/// Calls of Fibonacci's function for `n`, the first of them at `depth`.
fn as_a_tree(n: u32, depth: u32, depths: &mut Depths) {
    *depths.entry(depth).or_default() += 1;
    if n >= 2 {
        as_a_tree(n - 1, depth + 1, depths);
        as_a_tree(n - 2, depth + 1, depths);
    }
}

/// The depths of each outermost call and all that it made. Between calls there must be nothing but nesting, the inner one
/// deeper, which is true as well where calls are missing because a burst of them found no room.
fn groups(samples: &[Sample]) -> Vec<Depths> {
    let mut samples = samples.to_vec();
    // A caller starts with or before its callees, and its depth is smaller.
    samples.sort_by_key(|sample| (sample.start_ns(), sample.depth));
    let mut groups: Vec<Depths> = Vec::new();
    let mut callers: Vec<(u64, u32)> = Vec::new();
    for sample in &samples {
        let depth = sample.depth.expect("few methods do not collide in the table of depths");
        callers.retain(|(end_ns, _)| *end_ns > sample.start_ns());
        if let Some((end_ns, caller)) = callers.last() {
            assert!(*end_ns >= sample.end_ns() && *caller < depth, "{sample:?} in {callers:?}");
        }
        callers.push((sample.end_ns(), depth));
        if depth == 0 {
            groups.push(Depths::new());
        }
        if let Some(group) = groups.last_mut() {
            *group.entry(depth).or_default() += 1;
        }
    }
    groups
}

#[test]
fn depths_are_those_of_the_program() {
    let mut tree = Depths::new();
    as_a_tree(10, 0, &mut tree);
    let expected = [
        ("Recursive.line(I)I", in_a_line(20)),
        ("Recursive.tree(I)I", tree),
        ("Recursive.even(I)Z", in_a_line(7)),
    ];
    let case = Case::measuring(&expected.each_ref().map(|(method, _)| *method)).endless();
    let mut run = case.java(&["Recursive", "0"]);
    run.awaits_agent();
    for (method, depths) in &expected {
        case.awaits_measurements(method, 20 * depths.values().sum::<u64>());
    }
    run.signal("INT");
    run.awaits("spl: every class is as it was");
    run.ends().assert_status(0);
    for (method, depths) in &expected {
        let samples = case.measurements(method).into_iter().map(|record| record.sample).collect::<Vec<_>>();
        let groups = groups(&samples);
        let deepest = groups.iter().flat_map(Depths::keys).max();
        assert_eq!(deepest, depths.keys().max(), "{method}");
        let whole = groups.iter().filter(|group| *group == depths).count();
        assert!(whole >= 10, "{method}: expected {depths:?}, found {groups:?}");
    }
}
