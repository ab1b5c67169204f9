//! Costs of calls, by hand, and of JDK classes with any counts.

use super::*;
use crate::testing::{Written, call_graph};

/// Methods with their costs, and with those of their calls.
fn costs(graph: &CallGraph) -> Vec<(f64, Vec<f64>)> {
    let of = |node: &Node| (node.total, node.edges.iter().map(|edge| edge.cost).collect());
    graph.nodes.iter().map(of).collect()
}

fn outside(graph: &CallGraph) -> f64 {
    graph.nodes.iter().map(|node| node.outside as f64 / node.entered * node.total).sum()
}

#[test]
fn a_cost_is_spread_over_all_calls() {
    // `main` calls `a` once and `c` 3 times, `a` calls `c` once; another call of `c` comes from outside.
    let methods = [("main", 1, 10), ("a", 1, 20), ("c", 5, 500)];
    let graph = call_graph(&methods, &[(0, 1, 1), (0, 2, 3), (1, 2, 1)]);
    assert_eq!(costs(&graph), [(430.0, vec![120.0, 300.0]), (120.0, vec![100.0]), (500.0, vec![])]);
    let outside_calls: Vec<u64> = graph.nodes.iter().map(|node| node.outside).collect();
    assert_eq!((outside_calls, graph.all, outside(&graph)), (vec![1, 0, 1], 530, 530.0));
}

#[test]
fn recursion_costs_once() {
    let methods = [("main", 1, 10), ("even", 51, 510), ("fib", 100, 900), ("odd", 50, 490)];
    let graph = call_graph(&methods, &[(0, 1, 1), (0, 2, 1), (1, 3, 50), (2, 2, 99), (3, 1, 50)]);
    let back: Vec<(usize, bool)> =
        graph.nodes.iter().flat_map(|node| &node.edges).map(|edge| (edge.callee, edge.is_back)).collect();
    assert_eq!(back, [(1, false), (2, false), (3, false), (2, true), (1, true)]);
    let expected =
        [(1910.0, vec![1000.0, 900.0]), (1000.0, vec![490.0]), (900.0, vec![0.0]), (490.0, vec![0.0])];
    assert_eq!(costs(&graph), expected);
    // A circle that nothing enters, as counts that are not exact may make one.
    let graph = call_graph(&[("a", 5, 50), ("b", 5, 50)], &[(0, 1, 5), (1, 0, 5)]);
    assert_eq!((graph.nodes[0].outside, outside(&graph)), (5, 100.0));
}

#[test]
fn a_long_way_down_is_no_deep_stack() {
    let names: Vec<String> = (0..100_000).map(|at| format!("m{at}")).collect();
    let methods: Vec<_> = names.iter().map(|name| (&**name, 1, 1)).collect();
    let calls: Vec<_> = (1..methods.len()).map(|at| (at - 1, at, 1)).collect();
    assert_eq!(call_graph(&methods, &calls).nodes[0].total, 100_000.0);
}

#[test]
fn calls_by_an_interface_are_shared_out_and_never_more_than_there_were() {
    let shared = |reached: &[(usize, f64, bool)], calls: u64| {
        let mut node = Node::default();
        let site = Site { line: 3, instruction: "invokeinterface", class: "I".into(), member: "f()V".into() };
        node.add_calls(&site, calls, reached);
        let calls: Vec<u64> = node.edges.iter().map(|edge| edge.calls).collect();
        (calls, node.unseen.len())
    };
    assert_eq!(shared(&[(0, 2.0 / 3.0, true), (1, 1.0 / 3.0, true)], 300), (vec![100, 200], 0));
    assert_eq!(shared(&[(0, 0.6, true), (1, 0.2, true), (2, 0.2, true)], 2), (vec![2], 0));
    assert_eq!(shared(&[(0, 1.0, false)], u64::MAX), (vec![u64::MAX], 0));
    assert_eq!(shared(&[], 5), (vec![], 1));
    // 100 calls by an interface, 20 by name, and the method had 50.
    let edge =
        |kind, calls| Edge { callee: 1, line: 3, kind, calls, is_unsure: false, is_back: false, cost: 0.0 };
    let caller = Node {
        calls: 1,
        edges: vec![edge(CallKind::Static, 20), edge(CallKind::Interface, 100)],
        ..Node::default()
    };
    let graph = CallGraph::of_nodes(vec![caller, Node { calls: 50, own: 50, ..Node::default() }]);
    let calls: Vec<(u64, bool)> =
        graph.nodes[0].edges.iter().map(|edge| (edge.calls, edge.is_unsure)).collect();
    assert_eq!((calls, graph.nodes[0].unseen[0].calls), (vec![(20, false), (30, true)], 70));
}

#[test]
fn arcs_tell_the_callees_where_they_were_counted() {
    let head = "method,at,line,block,instruction,callee,answer,entered,receiver,calls\n";
    let rows = "A.f()V,1,3,0,invokeinterface,I.g()V,entered,B.g()V,B,30\n\
                A.f()V,1,3,0,invokeinterface,I.g()V,entered,B.g()V,Below,10\n\
                A.f()V,1,3,0,invokeinterface,I.g()V,entered,\"C.g()V\",C,5\n\
                A.f()V,1,3,0,invokeinterface,I.g()V,not entered,,,2\n\
                A.f()V,9,,0,invokestatic,N.n()V,native,,,7\n\
                A.f()V,9,,0,invokestatic,N.n()V,via,B.g()V,,1\n";
    let answers = Answers::read(format!("{head}{rows}").as_bytes()).unwrap();
    let mut node = Node { name: "A.f()V".to_owned(), ..Node::default() };
    assert!(answers.add_calls(&mut node, &HashMap::from([("B.g()V", 4)])));
    let edges: Vec<_> =
        node.edges.iter().map(|one| (one.callee, one.line, one.calls, one.is_unsure)).collect();
    assert_eq!(edges, [(4, 0, 1, false), (4, 3, 40, false)]);
    let unseen: Vec<_> = node.unseen.iter().map(|one| (&*one.name, one.line, one.calls)).collect();
    assert_eq!(unseen, [("C.g()V", 3, 5), ("N.n()V", 0, 7)]);
    let mut other = Node { name: "A.other()V".to_owned(), ..Node::default() };
    assert!(!answers.add_calls(&mut other, &HashMap::new()));
    for (row, reason) in [
        ("A.f()V,1,3,0,invokestatic,N.n()V,perhaps,,,7\n", "\"perhaps\" is not an answer"),
        ("A.f()V,1,3,0,invokemagic,N.n()V,native,,,7\n", "\"invokemagic\" is not an instruction that calls"),
        ("A.f()V,1,3,0,invokestatic,N.n()V,native,,,many\n", "many"),
        ("A.f()V,1,3,0,invokestatic", "arcs.csv"),
    ] {
        let fault = Answers::read(format!("{head}{row}").as_bytes()).unwrap_err().to_string();
        assert!(fault.contains(reason), "{fault}");
    }
}

#[test]
fn all_instructions_are_those_of_the_calls_from_outside() {
    let names = [
        "java/util/HashMap",
        "java/util/LinkedHashMap",
        "java/util/HashMap$TreeNode",
        "java/util/AbstractMap",
    ];
    for value in [|_| 1, |at: u32| u64::from(at % 7), |at: u32| u64::from(at) * 1000] {
        let drill = Written::of(&names, value);
        let graph = drill.call_graph();
        let methods = String::from_utf8(drill.files[1].clone()).unwrap();
        let column = |line: &str| line.rsplit(',').nth(6).unwrap().parse::<u64>().unwrap();
        let all: u64 = methods.lines().skip(1).map(column).sum();
        assert_eq!(graph.all, all);
        assert!((outside(&graph) / all as f64 - 1.0).abs() < 1e-9, "{} {all}", outside(&graph));
        for node in &graph.nodes {
            assert!(node.total >= node.own as f64 && node.total.is_finite(), "{node:?}");
            assert_eq!(node.lines.values().sum::<u64>(), node.own);
        }
    }
}

#[test]
fn an_overriding_method_gets_its_share() {
    // `HashMap.putVal` calls `afterNodeInsertion`, which `LinkedHashMap` has of its own.
    let graph = Written::of(&["java/util/HashMap", "java/util/LinkedHashMap"], |_| 1000).call_graph();
    let put = graph.nodes.iter().find(|node| node.name.starts_with("java/util/HashMap.putVal(")).unwrap();
    let called = |class: &str| {
        let name = format!("{class}.afterNodeInsertion(Z)V");
        put.edges.iter().any(|edge| graph.nodes[edge.callee].name == name && edge.is_unsure)
    };
    assert!(called("java/util/LinkedHashMap"), "{put:?}");
    assert_eq!(put.source.as_deref(), Some("java/util/HashMap.java"));
}
