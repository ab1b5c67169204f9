use super::*;
use spl_bytecode::Counting;
use spl_classes::{Catalogue, Jdk};
use spl_model::OfCalls;

/// A class of the JDK with branches, loops and handlers.
fn class() -> CountedClass {
    class_for(Counting::BLOCKS)
}

fn class_for(what: Counting<'_>) -> CountedClass {
    let jdk = Jdk::installed().expect("the tests have a JDK");
    let bytes = Catalogue::open(&[], Some(&jdk)).bytes("java/util/Formatter").expect("the JDK's");
    let counted = spl_bytecode::count(&bytes, what, |_, _| true, 100, 100_000).expect("a class file");
    let methods = counted.methods.into_iter().map(|one| CountedMethod {
        name: one.method.name,
        descriptor: one.method.descriptor,
        first: one.first,
        counters: one.outcome.map(|_| one.counters),
    });
    CountedClass {
        name: "java/util/Formatter".to_owned(),
        bytes,
        from_start: true,
        methods: methods.collect(),
    }
}

fn profiles(class: &CountedClass, value: impl Fn(u32) -> u64) -> Result<Vec<MethodProfile<'_>>, Fault> {
    let mut all = Vec::new();
    profile(DrillKind::Blocks, class, value, |one| all.push(one))?;
    Ok(all)
}

#[test]
fn each_method_gets_its_own_counters() {
    let class = class();
    let all = profiles(&class, u64::from).unwrap();
    assert!(all.len() > 20, "{}", all.len());
    for (one, method) in all.iter().zip(class.methods.iter().filter(|method| method.counters.is_ok())) {
        assert_eq!(one.name(), format!("java/util/Formatter.{}{}", method.name, method.descriptor));
        assert_eq!(one.calls, u64::from(method.first), "the first counter is the entry's");
    }
}

#[test]
fn what_never_ran_is_zero_in_every_table() {
    let class = class();
    for one in profiles(&class, |_| 0).unwrap() {
        assert_eq!((one.calls, one.bytecodes(), one.coverage().0), (0, Bytecodes::default(), 0));
        assert!(!one.is_uneven());
        let columns = |line: &str| line.matches(',').count();
        assert_eq!(columns(&one.methods_line("")), columns(METHODS_HEAD));
        for line in one.blocks_lines().lines() {
            assert_eq!(columns(line), columns(&blocks_head()));
        }
        for line in one.edges_lines().lines() {
            assert_eq!(columns(line), columns(EDGES_HEAD));
        }
        // A quoted descriptor has no comma.
        for line in one.calls_lines().lines() {
            assert_eq!(columns(line), columns(CALLS_HEAD));
        }
    }
}

#[test]
fn what_an_exception_leaves_makes_an_interval() {
    let class = class();
    // Entered ten times, and nothing else counted: every call ends in the first block that can throw.
    let firsts: Vec<u32> = class.methods.iter().map(|method| method.first).collect();
    let all = profiles(&class, |counter| if firsts.contains(&counter) { 10 } else { 0 }).unwrap();
    let left = all.iter().filter(|one| one.counts.left == 10 && !one.is_uneven());
    assert!(left.clone().count() > 10);
    assert!(left.clone().all(|one| one.bytecodes().least <= one.bytecodes().most));
    assert!(left.clone().any(|one| one.bytecodes().least < one.bytecodes().most));
    // A call of the own class before all others was made; a later one perhaps not.
    let sites: Vec<_> =
        left.flat_map(|one| one.sites().map(|(.., count)| count).collect::<Vec<_>>()).collect();
    for wanted in [(10, 10), (0, 10), (0, 0)] {
        assert!(sites.iter().any(|count| (count.least, count.most) == wanted), "{wanted:?}");
    }
}

#[test]
fn class_files_that_do_not_belong_to_the_counters_are_refused() {
    let mut class = class();
    class.methods[0].counters = class.methods[0].counters.clone().map(|counters| counters + 1);
    let error = profiles(&class, |_| 0).unwrap_err();
    assert!(
        matches!(&error, Fault::Different { expected, found, .. } if *found as usize == expected + 1),
        "{error}"
    );
    class.methods[0].name = "nowhere".to_owned();
    assert!(profiles(&class, |_| 0).unwrap_err().to_string().contains("nowhere"));
    class.bytes.truncate(1000);
    assert!(matches!(profiles(&class, |_| 0), Err(Fault::Unreadable { .. })));
}

#[test]
fn a_call_that_an_exception_may_have_kept_away_was_perhaps_not_made() {
    let class = class_for(Counting::Cover { is_set: &|_| false });
    let sites = |value: &dyn Fn(u32) -> u64| {
        let mut counts = Vec::new();
        profile(DrillKind::Cover, &class, value, |one| counts.extend(one.sites().map(|(.., count)| count)))
            .unwrap();
        counts
    };
    // Every method was entered, and no block was left by a way that has a flag.
    let firsts: Vec<u32> = class.methods.iter().map(|method| method.first).collect();
    let entered = sites(&|flag| u64::from(firsts.contains(&flag)));
    let known = |counts: &[Bytecodes]| counts.iter().filter(|one| one.least == 1).count();
    let seen = entered.iter().filter(|one| one.most == 1).count();
    assert!(known(&entered) < seen, "{} of {seen}", known(&entered));
    let all = sites(&|_| 1);
    assert!(known(&all) > known(&entered) && all.iter().all(|one| one.least <= one.most), "{}", known(&all));
}

#[test]
fn words_of_calls_are_no_counters_of_edges() {
    let counters = |what, kind| {
        let class = class_for(kind);
        let all = counting(what, &class).unwrap();
        assert!(all.iter().all(|(place, numbers)| numbers.start == u64::from(class.methods[*place].first)));
        let words: u64 = class.methods.iter().map(|one| one.end() - u64::from(one.first)).sum();
        (all.iter().map(|(_, numbers)| numbers.end - numbers.start).sum::<u64>(), words)
    };
    let (edges, words) = counters(DrillKind::Blocks, Counting::BLOCKS);
    assert_eq!(edges, words);
    let with_calls = counters(
        DrillKind::Calls(OfCalls::Entered),
        Counting::Blocks { root: &|_, _| None, calls: Some(OfCalls::Entered) },
    );
    assert_eq!(with_calls.0, edges, "that is what the budget pays for");
    assert!(with_calls.1 > edges);
}
