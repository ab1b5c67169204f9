use super::*;
use crate::testing::{Written, call_graph};
use serde_json::Value;

/// The rules of speedscope's schema for a file with evented profiles, and that each frame is closed by the order of their opening.
/// Gives the weight of each frame of its own, by name.
fn weights(text: &str) -> BTreeMap<String, u64> {
    let file: Value = serde_json::from_str(text).unwrap();
    assert_eq!(file["$schema"], SCHEMA);
    let known = ["$schema", "exporter", "name", "activeProfileIndex", "shared", "profiles"];
    assert!(file.as_object().unwrap().keys().all(|key| known.contains(&key.as_str())), "{text}");
    let frames = file["shared"]["frames"].as_array().unwrap();
    for frame in frames {
        let fits = |(key, value): (&String, &Value)| match key.as_str() {
            "name" | "file" => value.is_string(),
            "line" => value.is_u64(),
            _ => false,
        };
        assert!(frame.as_object().unwrap().iter().all(fits) && frame["name"].is_string(), "{frame}");
    }
    let profile = &file["profiles"][usize::try_from(file["activeProfileIndex"].as_u64().unwrap()).unwrap()];
    assert_eq!((&profile["type"], &profile["unit"]), (&"evented".into(), &"none".into()));
    assert!(profile["name"].is_string() && file["name"].is_string() && file["exporter"].is_string());
    let (mut open, mut last, mut weights) =
        (Vec::new(), profile["startValue"].as_u64().unwrap(), BTreeMap::new());
    for event in profile["events"].as_array().unwrap() {
        assert_eq!(event.as_object().unwrap().len(), 3, "{event}");
        let at = event["at"].as_u64().unwrap();
        let frame = usize::try_from(event["frame"].as_u64().unwrap()).unwrap();
        let name = |frame: usize| frames[frame]["name"].as_str().unwrap().to_owned();
        if let Some(top) = open.last() {
            *weights.entry(name(*top)).or_default() += at.checked_sub(last).expect("in order");
        } else {
            assert_eq!(at, last, "nothing is outside of the roots");
        }
        match event["type"].as_str().unwrap() {
            "O" => open.push(frame),
            "C" => assert_eq!(open.pop(), Some(frame)),
            other => panic!("{other}"),
        }
        last = at;
    }
    assert!(open.is_empty());
    assert_eq!(profile["endValue"].as_u64(), Some(last));
    weights
}

fn frames(all: &[(&str, u64)]) -> BTreeMap<String, u64> {
    all.iter().map(|(name, weight)| ((*name).to_owned(), *weight)).collect()
}

#[test]
fn a_tree_has_the_averages_of_the_graph() {
    let methods = [("main", 1, 10), ("a", 1, 20), ("c", 5, 500)];
    let graph = call_graph(&methods, &[(0, 1, 1), (0, 2, 3), (1, 2, 1)]);
    let Speedscope { text, left_out } = speedscope(&graph, "Main \"x\"\n");
    assert_eq!(left_out, None);
    assert_eq!(weights(&text), frames(&[("main", 10), ("a", 20), ("c", 500)]));
    // `main` with `c`, `a` and its `c`; then `c` from outside.
    let opened: Vec<&str> = text.lines().filter(|line| line.contains("\"O\"")).collect();
    let expected = [(0, 0), (1, 10), (2, 310), (1, 330), (1, 430)];
    let expected: Vec<String> = expected
        .iter()
        .map(|(frame, at)| format!("{{\"type\":\"O\",\"frame\":{frame},\"at\":{at}}},"))
        .collect();
    assert_eq!(opened, expected);
}

#[test]
fn what_is_left_out_is_counted_and_named() {
    // Each method calls the next one from two places: 2^20 ways to the last.
    let names: Vec<String> = (0..20).flat_map(|at| [format!("a{at}"), format!("b{at}")]).collect();
    let methods: Vec<_> = names.iter().map(|name| (&**name, 2, 1000)).collect();
    let calls: Vec<_> = (2..40).flat_map(|at| [(at - 2 - at % 2, at, 1), (at - 1 - at % 2, at, 1)]).collect();
    let graph = call_graph(&methods, &calls);
    assert_eq!(graph.all, 40_000);
    let Speedscope { text, left_out } = with_nodes(&graph, "M", 100);
    let weights = weights(&text);
    assert_eq!(weights.values().sum::<u64>(), 40_000);
    let said = left_out.unwrap();
    let said_cost: f64 = said.split(' ').find_map(|word| word.parse().ok()).unwrap();
    // Each end of a frame is rounded.
    assert!((said_cost - weights[LEFT_OUT] as f64).abs() < 100.0, "{said} {weights:?}");
    assert!(said.contains("of 40000 bytecodes") && said.ends_with("1 more"), "{said}");
    assert!(text.contains(&said) && text.matches("\"O\"").count() < 202, "{said}");
    assert!(speedscope(&graph, "M").text.matches("\"O\"").count() < 2 * MOST_NODES + 2);
}

#[test]
fn a_way_that_is_too_deep_ends() {
    let names: Vec<String> = (0..1000).map(|at| format!("m{at}")).collect();
    let methods: Vec<_> = names.iter().map(|name| (&**name, 1, 1)).collect();
    let calls: Vec<_> = (1..1000).map(|at| (at - 1, at, 1)).collect();
    let Speedscope { text, left_out } = speedscope(&call_graph(&methods, &calls), "M");
    assert_eq!(weights(&text)[LEFT_OUT], 750);
    assert!(left_out.unwrap().contains("750 of 1000 bytecodes (75.00%), in 1 places that call m250"));
}

#[test]
fn nothing_and_any_counts_make_a_file() {
    assert_eq!(weights(&speedscope(&CallGraph::default(), "").text), BTreeMap::new());
    let graph =
        Written::of(&["java/util/HashMap", "java/util/TreeMap"], |at| u64::from(at % 13)).call_graph();
    let weights = weights(&speedscope(&graph, "M").text);
    assert_eq!(weights.values().sum::<u64>(), graph.all);
}
