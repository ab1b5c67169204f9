use super::*;
use crate::arcs::Answer;
use crate::causes::{Compared, Extra, ExtraKind};
use crate::rates::{Busiest, EventKind, Hottest};
use crate::reach::REACHED;
use spl_graph::CallKind;

fn rates(class: &str, member: &str, calls: u64, bytecodes: f64, sites: &[(&str, &str, bool, f64)]) -> Rates {
    let site = |&(class, member, is_virtual, count): &(&str, &str, bool, f64)| Site {
        class: class.into(),
        member: member.into(),
        kind: if is_virtual { CallKind::Interface } else { CallKind::Static },
        line: Some(7),
        count,
        lambda: None,
    };
    let hottest = Some(Hottest { block: 1, lines: Some((3, 4)), runs: 2.0 });
    let sites = sites.iter().map(site).collect();
    let events = Events { caught: 0.5, ..Events::default() };
    let busiest = vec![Busiest { kind: EventKind::Caught, block: 2, lines: Some((5, 5)), count: 0.5 }];
    let blocks = vec![(1.0, bytecodes)];
    Rates {
        class: class.into(),
        member: member.into(),
        calls,
        bytecodes,
        events,
        busiest,
        hottest,
        sites,
        blocks,
    }
}

fn known(all: Vec<Rates>) -> Known {
    let mut known = Known::default();
    all.into_iter().for_each(|one| {
        known.counted_everywhere(one.member.clone());
        known.add(one, true, 0.0);
    });
    known
}

/// Causes in one graph.
fn causes(graph: &CallGraph<'_>, slow: &str, quick: &str) -> Vec<crate::Cause> {
    graph.causes(slow, Some(Compared { graph, method: quick }))
}

#[test]
fn a_method_takes_part_as_often_as_it_is_called() {
    let known = known(vec![
        rates("A", "f()V", 10, 5.0, &[("B", "g()V", false, 3.0), ("N", "now()J", false, 1.0)]),
        rates("B", "g()V", 900, 7.0, &[("L", "get()V", true, 2.0)]),
        // Of four calls each, one goes to the first of them.
        rates("L1", "get()V", 100, 10.0, &[]),
        rates("L2", "get()V", 300, 100.0, &[]),
    ]);
    let work = known.call_graph().work("A.f()V").unwrap();
    let part = |name: &str| (work.parts[name].calls, work.parts[name].bytecodes);
    assert_eq!((part("A.f()V"), part("B.g()V")), ((1.0, 5.0), (3.0, 21.0)));
    assert_eq!((part("L1.get()V"), part("L2.get()V")), ((1.5, 15.0), (4.5, 450.0)));
    assert_eq!((work.bytecodes(), work.unseen.len(), &*work.unseen[0].member), (491.0, 1, "now()J"));
    assert!(known.call_graph().work("A.unknown()V").is_none());
}

#[test]
fn a_receiver_of_an_interface_has_it() {
    let mut known = known(vec![
        rates("A", "f()V", 10, 5.0, &[("L", "get()V", true, 1.0)]),
        rates("L1", "get()V", 100, 10.0, &[]),
        rates("S1", "get()V", 900, 100.0, &[]),
    ]);
    known.reach.add_supers("L1".into(), vec!["B".into()]);
    assert_eq!(known.call_graph().work("A.f()V").unwrap().bytecodes(), 5.0 + 91.0, "both may be meant");
    known.reach.add_supers("B".into(), vec!["java/lang/Object".into(), "L".into(), "B".into()]);
    assert_eq!(known.call_graph().work("A.f()V").unwrap().bytecodes(), 5.0 + 10.0);
    assert_eq!(known.call_graph().work("A.f()V").unwrap().events().caught, 1.0);
}

#[test]
fn a_call_by_an_interface_waits_until_all_implementations_are_counted() {
    let mut known = known(vec![
        rates("A", "f()V", 10, 5.0, &[("L", "get()V", true, 1.0)]),
        rates("L1", "get()V", 100, 10.0, &[]),
    ]);
    known.reach.forget_everywhere();
    assert_eq!(known.call_graph().work("A.f()V").unwrap().unseen[0].class, "L");
    known.counted_everywhere("get()V".to_owned());
    assert_eq!(known.call_graph().work("A.f()V").unwrap().bytecodes(), 15.0);
}

#[test]
fn methods_that_all_call_each_other_take_little_time() {
    let name = |number: usize| format!("N{number}");
    let all =
        (0..400).map(|number| rates(&name(number), "eval()V", 10, 5.0, &[("Node", "eval()V", true, 0.9)]));
    let known = known(all.collect());
    let graph = known.call_graph();
    assert!(causes(&graph, "N1.eval()V", "N2.eval()V").len() <= REACHED + 1);
    assert!(graph.work("N1.eval()V").unwrap().bytecodes() > 5.0);
}

#[test]
fn recursion_ends() {
    let known = known(vec![
        rates("A", "f()V", 10, 1.0, &[("A", "f()V", false, 0.9), ("A", "g()V", false, 1.0)]),
        rates("A", "g()V", 10, 1.0, &[("A", "g()V", false, 0.5)]),
        rates("A", "endless()V", 10, 1.0, &[("A", "more()V", false, 2.0)]),
        rates("A", "more()V", 10, 1.0, &[("A", "more()V", false, 1.0)]),
    ]);
    let work = known.call_graph().work("A.f()V").unwrap();
    assert!((work.parts["A.f()V"].calls, work.parts["A.g()V"].calls.round()) == (1.0, 2.0), "{work:?}");
    assert!(known.call_graph().work("A.endless()V").unwrap().bytecodes() < 2.0 * STEPS as f64);
}

#[test]
fn the_greatest_cause_comes_first() {
    let known = known(vec![
        rates("A", "slow()V", 10, 50.0, &[("C", "shared()V", false, 9.0), ("D", "own()V", false, 1.0)]),
        rates("A", "quick()V", 10, 60.0, &[("C", "shared()V", false, 1.0)]),
        rates("C", "shared()V", 100, 1.0, &[("C", "deep()V", false, 1.0)]),
        rates("C", "deep()V", 100, 9.0, &[]),
        rates("D", "own()V", 10, 20.0, &[]),
    ]);
    let found = causes(&known.call_graph(), "A.slow()V", "A.quick()V");
    let found: Vec<_> = found.iter().map(|one| (one.path.join(" "), one.share, one.calls)).collect();
    // The slow method's own code runs less than the quick one's.
    let expected = [("C.shared()V C.deep()V", 0.8, [9.0, 1.0]), ("D.own()V", 0.2, [1.0, 0.0])];
    assert_eq!(found, expected.map(|(path, share, calls)| (path.to_owned(), share, calls)));
    assert_eq!(known.call_graph().causes("A.slow()V", None).len(), 3);
}

#[test]
fn a_method_may_call_the_one_that_it_is_compared_with() {
    let known = known(vec![
        rates("A", "f()V", 1, 1.0, &[("A", "g()V", false, 2.0), ("A", "f()V", false, 0.5)]),
        rates("A", "g()V", 1, 10.0, &[]),
    ]);
    let found = causes(&known.call_graph(), "A.f()V", "A.g()V");
    let found: Vec<_> = found.iter().map(|one| (one.path.join(" "), one.bytecodes)).collect();
    assert_eq!(found, [("A.g()V".to_owned(), [20.0, 10.0]), (String::new(), [1.0, 0.0])]);
}

#[test]
fn a_method_may_call_the_one_that_it_is_compared_with_through_others() {
    let g = || rates("A", "g()V", 2, 3.0, &[("A", "deep()V", false, 1.0)]);
    let deep = || rates("A", "deep()V", 2, 97.0, &[]);
    let slow = of_root(vec![
        (rates("A", "f()V", 1, 1.0, &[("A", "helper()V", false, 1.0), ("A", "extra()V", false, 1.0)]), 1.0),
        (rates("A", "helper()V", 1, 5.0, &[("A", "g()V", false, 2.0), ("N", "now()J", false, 3.0)]), 1.0),
        (rates("A", "extra()V", 1, 300.0, &[("N", "then()J", false, 1.0)]), 1.0),
        (g(), 2.0),
        (deep(), 2.0),
    ]);
    let quick = of_root(vec![(g(), 1.0), (deep(), 1.0)]);
    let (slow, quick) = (slow.call_graph(), quick.call_graph());
    // One of the helper's two calls is what the slow method is compared with.
    let found = slow.causes("A.f()V", Some(Compared { graph: &quick, method: "A.g()V" }));
    let found: Vec<_> = found.iter().map(|one| (one.path.join(" "), one.bytecodes)).collect();
    let expected =
        [("A.extra()V", [300.0, 0.0]), ("A.helper()V A.g()V A.deep()V", [105.0, 0.0]), ("", [1.0, 0.0])];
    assert_eq!(found, expected.map(|(path, bytecodes)| (path.to_owned(), bytecodes)));
    // Methods that were not counted, with their depth.
    let unseen: Vec<_> =
        slow.unseen_from("A.f()V").into_iter().map(|(depth, site)| (depth, site.member)).collect();
    assert_eq!(unseen, [(1, "then()J".into()), (1, "now()J".into())]);
    assert_eq!(slow.unseen_from("A.unknown()V").len(), 0);
}

#[test]
fn recursion_that_grows_stays_a_number() {
    let known = known(vec![
        rates("A", "f()V", 10, 1.0, &[("A", "g()V", false, 9.0)]),
        rates("A", "h()V", 10, 1.0, &[]),
        rates("A", "g()V", 10, 1.0, &[("A", "g()V", false, 1e9)]),
    ]);
    let graph = known.call_graph();
    assert!(graph.work("A.f()V").unwrap().bytecodes().is_finite());
    let causes = causes(&graph, "A.f()V", "A.h()V");
    assert!(
        causes.iter().all(|cause| cause.share.is_finite() && cause.bytecodes[0].is_finite()),
        "{causes:?}"
    );
}

/// Counts within the calls of a root: each method with its calls in one of them.
fn of_root(all: Vec<(Rates, f64)>) -> Known {
    let mut known = Known::of_root();
    all.into_iter().for_each(|(one, in_root)| known.add(one, true, in_root));
    known
}

#[test]
fn within_a_root_all_is_as_it_was_counted() {
    let slow = of_root(vec![
        (rates("A", "slow()V", 10, 5.0, &[("L", "contains()Z", true, 1.0)]), 1.0),
        (rates("L1", "contains()Z", 10, 1000.0, &[]), 1.0),
        (rates("M", "called_back()V", 40, 2.0, &[]), 4.0),
    ]);
    let quick = of_root(vec![
        (rates("A", "quick()V", 10, 5.0, &[("L", "contains()Z", true, 1.0)]), 1.0),
        (rates("L1", "contains()Z", 10, 10.0, &[]), 1.0),
    ]);
    let (mut slow, mut quick) = (slow, quick);
    for known in [&mut slow, &mut quick] {
        known.counted_everywhere("contains()Z".to_owned());
    }
    let (slow, quick) = (slow.call_graph(), quick.call_graph());
    let works = [slow.work("A.slow()V").unwrap(), quick.work("A.quick()V").unwrap()];
    assert_eq!([works[0].bytecodes(), works[1].bytecodes()], [1013.0, 15.0], "what native code calls, too");
    assert!(slow.is_apart() && quick.is_apart());
    let quick = Compared { graph: &quick, method: "A.quick()V" };
    let found = slow.causes("A.slow()V", Some(quick));
    let found: Vec<_> = found.iter().map(|one| (one.path.join(" "), one.calls, one.bytecodes)).collect();
    assert_eq!(found, [("L1.contains()Z".to_owned(), [1.0, 1.0], [1000.0, 10.0])]);
    assert_eq!(slow.extras("A.slow()V", Some(quick)).first().map(|one| one.counts), Some([3.0, 1.0]));
}

#[test]
fn a_class_whose_method_gets_too_few_calls_is_not_the_only_one() {
    let site = [("Base", "run(I)V", true, 10.0)];
    let of = |calls| {
        let known = of_root(vec![
            (rates("A", "f()V", 10, 5.0, &site), 1.0),
            (rates("Base", "run(I)V", 10, 1.0, &[]), calls),
        ]);
        known.call_graph().work("A.f()V").unwrap().unseen.len()
    };
    assert_eq!((of(10.0), of(3.0)), (0, 1));
}

#[test]
fn places_with_many_receivers_and_lambdas_are_told() {
    let mut site = rates("A", "f()V", 10, 5.0, &[("L", "get()V", true, 90.0)]);
    site.sites.push(Site {
        class: String::new(),
        member: "apply()LF;".into(),
        kind: CallKind::Dynamic,
        line: Some(9),
        count: 2.0,
        lambda: Some("A.lambda$0()V".into()),
    });
    site.sites.push(Site {
        member: "makeConcatWithConstants(I)LS;".into(),
        lambda: None,
        ..site.sites[1].clone()
    });
    let mut known = of_root(vec![
        (site, 1.0),
        (rates("L1", "get()V", 300, 1.0, &[]), 30.0),
        (rates("L2", "get()V", 300, 1.0, &[]), 30.0),
        (rates("L3", "get()V", 300, 1.0, &[]), 30.0),
        (rates("A", "lambda$0()V", 80, 6.0, &[]), 8.0),
    ]);
    known.counted_everywhere("get()V".to_owned());
    let graph = known.call_graph();
    let kinds: Vec<_> = graph.extras("A.f()V", None).iter().map(|one| (one.kind, one.counts[0])).collect();
    assert!(
        kinds.contains(&(ExtraKind::Many, 90.0)) && kinds.contains(&(ExtraKind::Joined, 2.0)),
        "{kinds:?}"
    );
    let line = |one: &Extra| (one.kind == ExtraKind::Many).then_some(one.lines);
    assert_eq!(graph.extras("A.f()V", None).iter().find_map(line), Some(Some((7, 7))));
    let lambda = graph.causes("A.f()V", None).into_iter().find(|one| one.path == ["A.lambda$0()V"]).unwrap();
    assert_eq!((lambda.calls[0], lambda.bytecodes[0], lambda.line), (8.0, 48.0, Some(9)));
}

#[test]
fn recursion_within_a_root_adds_up() {
    // A tree of 1,973 calls, of which one is from outside; and two methods that call each other.
    let of_fib = |name: &str, again: &str| {
        let calls = 1972.0 / 1973.0;
        rates("A", name, 1973, 9.5, &[("A", again, false, calls)])
    };
    let known = of_root(vec![
        (rates("A", "f()V", 1, 5.0, &[("A", "fib()V", false, 1.0), ("A", "even()V", false, 1.0)]), 1.0),
        (of_fib("fib()V", "fib()V"), 1973.0),
        (of_fib("even()V", "odd()V"), 987.0),
        (of_fib("odd()V", "even()V"), 986.0),
    ]);
    let causes = known.call_graph().causes("A.f()V", None);
    for (path, expected) in [("A.fib()V", 9.5 * 1973.0), ("A.even()V", 9.5 * 1973.0)] {
        let cause =
            causes.iter().find(|one| one.path[..].first().is_some_and(|first| first == path)).unwrap();
        assert!((cause.bytecodes[0] / expected - 1.0).abs() < 0.01, "{cause:?}");
    }
}

#[test]
fn arcs_tell_apart_the_calls_of_several_places() {
    let mut known = of_root(vec![
        (rates("R", "f()V", 10, 5.0, &[("L", "get()V", true, 1.0), ("B", "g()V", false, 1.0)]), 1.0),
        (rates("B", "g()V", 10, 5.0, &[("L", "get()V", true, 3.0)]), 1.0),
        (rates("L1", "get()V", 30, 10.0, &[]), 3.0),
        (rates("L2", "get()V", 10, 100.0, &[]), 1.0),
    ]);
    known.counted_everywhere("get()V".to_owned());
    let callees = |known: &Known, caller: &str| -> Vec<(String, f64)> {
        let graph = known.call_graph();
        let callees = &graph.node(caller).unwrap().callees;
        callees.iter().map(|one| (graph.methods[one.number].0.to_owned(), one.count)).collect()
    };
    let shared: Vec<_> = known.shared_out().into_iter().collect();
    assert_eq!(shared, ["B.g()V", "L1.get()V", "L2.get()V", "R.f()V"]);
    let shares = [("B.g()V", 1.0), ("L1.get()V", 0.75), ("L2.get()V", 0.25)];
    assert_eq!(callees(&known, "R.f()V"), shares.map(|(name, count)| (name.to_owned(), count)));
    let entered = |method: &str, calls| Answer {
        what: What::Entered { method: method.to_owned(), receivers: None },
        calls,
    };
    let called = |count, answers| Called {
        at: 0,
        line: None,
        block: 0,
        kind: CallKind::Interface,
        class: "L".to_owned(),
        member: "get()V".to_owned(),
        count,
        answers,
        changes: None,
        threads: None,
    };
    // Arcs of other methods tell nothing about these calls.
    let both = |methods: [&str; 2]| methods.map(str::to_owned).into();
    known.add_arcs("R.f()V", &[called(50, Vec::new())], &both(["L2.get()V", "other()V"]));
    assert_eq!(callees(&known, "R.f()V"), shares.map(|(name, count)| (name.to_owned(), count)));
    let counted = both(["L1.get()V", "L2.get()V"]);
    known.add_arcs("R.f()V", &[called(50, vec![entered("L2.get()V", 50)])], &counted);
    known.add_arcs("B.g()V", &[called(150, vec![entered("L1.get()V", 150)])], &counted);
    assert_eq!(callees(&known, "R.f()V"), [("B.g()V".to_owned(), 1.0), ("L2.get()V".to_owned(), 1.0)]);
    assert_eq!(callees(&known, "B.g()V"), [("L1.get()V".to_owned(), 3.0)]);
}

#[test]
fn one_place_needs_no_arcs() {
    let mut known = of_root(vec![
        (rates("R", "f()V", 10, 5.0, &[("L", "get()V", true, 4.0)]), 1.0),
        (rates("L1", "get()V", 30, 10.0, &[]), 3.0),
        (rates("L2", "get()V", 10, 100.0, &[]), 1.0),
    ]);
    known.counted_everywhere("get()V".to_owned());
    assert!(known.shared_out().is_empty());
}
