//! `spl export`: the call graph of a program whose calls and bytecodes are known by formula.

use crate::case::Case;
use crate::drill::{case, drill, exported, table};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

/// Rounds of the program, in each of which it makes its calls.
const ROUNDS: u64 = 1000;

/// A profile of callgrind, read as its format says.
#[derive(Default)]
struct Profile {
    summary: u64,
    /// Bytecodes by method and line.
    own: BTreeMap<String, BTreeMap<u64, u64>>,
    /// By caller and callee: line, number of calls, cost.
    calls: BTreeMap<(String, String), Vec<[u64; 3]>>,
    /// File of each method.
    files: BTreeMap<String, String>,
}

impl Profile {
    fn read(text: &str) -> Self {
        let (mut profile, mut names) = (Self::default(), BTreeMap::new());
        let mut named = |kind: &str, text: &str| {
            let (number, name) = text.split_once(')').expect("all names are compressed");
            let key = (kind.to_owned(), number.to_owned());
            if !name.is_empty() {
                assert!(names.insert(key.clone(), name.trim_start().to_owned()).is_none(), "{text}");
            }
            names[&key].clone()
        };
        let (mut file, mut name, mut callee, mut made) = Default::default();
        for line in text.lines() {
            match line.split_once('=').unwrap_or(("", line)) {
                ("fl", of) => file = named("file", of),
                ("fn", of) => {
                    name = named("name", of);
                    profile.files.insert(name.clone(), std::mem::take(&mut file));
                    profile.own.entry(name.clone()).or_default();
                }
                ("cfl", of) => drop(named("file", of)),
                ("cfn", of) => callee = named("name", of),
                ("calls", of) => made = of.split(' ').next().map(|calls| calls.parse::<u64>().unwrap()),
                _ if line.starts_with("summary: ") => profile.summary = line[9..].parse().unwrap(),
                _ => profile.cost(line, &name, &callee, made.take()),
            }
        }
        profile
    }

    fn cost(&mut self, line: &str, name: &str, callee: &str, made: Option<u64>) {
        let Some((line, cost)) = line.split_once(' ') else { return };
        let (Ok(line), Ok(cost)) = (line.parse(), cost.parse()) else { return };
        match made {
            Some(calls) => {
                self.calls.entry((name.to_owned(), callee.to_owned())).or_default().push([line, calls, cost]);
            }
            None => assert_eq!(self.own.get_mut(name).unwrap().insert(line, cost), None),
        }
    }

    /// Calls and their cost from a method to another one, over all lines.
    fn edge(&self, from: &str, to: &str) -> (u64, u64) {
        let edges = self.calls.get(&(from.to_owned(), to.to_owned())).map_or(&[][..], Vec::as_slice);
        (edges.iter().map(|edge| edge[1]).sum(), edges.iter().map(|edge| edge[2]).sum())
    }
}

fn drilled() -> Case {
    let case = case();
    let methods = ["--methods", "Calls", "Calls$*", "--out", "out"];
    drill(&case, &methods, &["Calls", &ROUNDS.to_string()]).ends().assert_status(0);
    case
}

#[test]
fn a_table_that_was_changed_since_is_refused() {
    let case = drilled();
    type Damage = fn(&str) -> String;
    let damages: [(&str, &str, Damage); 3] = [
        ("blocks.csv", "csv", |text| text.replacen(",1,", ",2,", 1)),
        ("edges.csv", "callgrind", |text| text.split_at(text.len() / 2).0.to_owned()),
        ("methods.csv", "jacoco", |text| text.replacen("Calls", "Call", 1)),
    ];
    for (name, form, damage) in damages {
        let path = case.path("out/drill").join(name);
        let written = fs::read_to_string(&path).unwrap();
        fs::write(&path, damage(&written)).unwrap();
        assert_ne!(fs::read_to_string(&path).unwrap(), written);
        let output = case.spl_with(&["export", "out", "--as", form]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{said}");
        assert!(said.contains(&format!("out/drill/{name}: it is not as the drill wrote it")), "{said}");
        fs::write(&path, written).unwrap();
    }
    assert!(exported(&case, "csv").lines().count() > 1);
}

#[test]
fn callgrind_has_the_calls_and_bytecodes_that_the_formula_says() {
    const SHAPES: &str = "Calls.areas([LCalls$Shape;)I";
    const AREA: &str = "Calls$Circle.area()I";
    let case = drilled();
    let profile = Profile::read(&exported(&case, "callgrind"));
    let of_drill = table(&case.path("out/drill/methods.csv"));
    for (method, lines) in of_drill.iter().filter(|(_, lines)| lines[0][0] != "0") {
        assert_eq!(profile.own[method].values().sum::<u64>().to_string(), lines[0][1], "{method}");
        assert_eq!(profile.files[method], "Calls.java");
    }
    let all: u64 = profile.own.values().flat_map(BTreeMap::values).sum();
    assert_eq!((all, profile.own.contains_key("Calls.<init>()V")), (profile.summary, false));
    // Four shapes a round: a square, and three circles, of which a ring has an edge of its own.
    let n = ROUNDS;
    let edges = [
        (SHAPES, "Calls$Square.area()I", (n, 2 * n)),
        (SHAPES, AREA, (3 * n, 3 * (4 + 2 + 4) * n)),
        (AREA, "Calls$Circle.edge()I", (2 * n, 4 * n)),
        (AREA, "Calls$Ring.edge()I", (n, 2 * n)),
        (AREA, "Calls.leaf(I)I", (3 * n, 12 * n)),
        ("Calls.twice(I)I", "Calls.leaf(I)I", (2 * n, 8 * n)),
        ("Calls.main([Ljava/lang/String;)V", "Calls.down(I)I", (n, (5 * 7 + 5) * n)),
        ("Calls.down(I)I", "Calls.down(I)I", (5 * n, 0)),
    ];
    for (from, to, expected) in edges {
        assert_eq!(profile.edge(from, to), expected, "{from} {to}");
    }
    let twice = &profile.calls[&("Calls.twice(I)I".to_owned(), "Calls.leaf(I)I".to_owned())];
    let expected = [twice[0][0], twice[0][0] + 1].map(|line| [line, n, 4 * n]);
    assert_eq!(twice[..], expected, "each line has its calls");
    // All bytecodes are those of `main` and of its callees.
    let main = "Calls.main([Ljava/lang/String;)V".to_owned();
    let below = profile.calls.iter().filter(|((from, _), _)| *from == main).flat_map(|(_, edges)| edges);
    assert_eq!(below.map(|edge| edge[2]).sum::<u64>() + profile.own[&main].values().sum::<u64>(), all);
}

#[test]
fn the_other_forms_have_the_same_calls() {
    let case = drilled();
    let profile = Profile::read(&exported(&case, "callgrind"));
    let edges = profile.calls.values().map(Vec::len).sum::<usize>();
    let graphml = exported(&case, "graphml");
    assert_eq!(graphml.matches("<edge ").count(), edges);
    assert_eq!(graphml.matches("<node ").count(), profile.own.len());
    let unsure = graphml.matches("<data key=\"is_unsure\">true</data>").count();
    assert_eq!((unsure, graphml.matches("<data key=\"is_recursion\">true</data>").count()), (4, 1));
    let dot = exported(&case, "dot");
    assert_eq!((dot.matches(" -> ").count(), dot.matches("style=dashed").count()), (edges, 4));
    let text = exported(&case, "calls");
    assert!(text.contains("\n[1] 100.0% Calls.main([Ljava/lang/String;)V: 1 calls, "), "{text}");
    assert!(text.contains("of java/lang/Integer.parseInt(Ljava/lang/String;)I: not counted"), "{text}");
    let file: Value = serde_json::from_str(&exported(&case, "speedscope")).unwrap();
    assert_eq!(file["profiles"][0]["endValue"].as_u64(), Some(profile.summary));
    let frames = file["shared"]["frames"].as_array().unwrap();
    let (mut own, mut open, mut last) = (BTreeMap::<String, u64>::new(), Vec::new(), 0);
    for event in file["profiles"][0]["events"].as_array().unwrap() {
        let at = event["at"].as_u64().unwrap();
        if let Some(top) = open.last() {
            *own.entry(String::clone(top)).or_default() += at - last;
        }
        let frame = usize::try_from(event["frame"].as_u64().unwrap()).unwrap();
        let name = frames[frame]["name"].as_str().unwrap().to_owned();
        if event["type"] == "O" {
            open.push(name)
        } else {
            assert_eq!(open.pop(), Some(name))
        }
        last = at;
    }
    let expected: BTreeMap<String, u64> =
        profile.own.iter().map(|(name, lines)| (name.clone(), lines.values().sum())).collect();
    assert_eq!(own, expected, "one tree, below main");
}

#[test]
fn coverage_has_no_calls() {
    let case = case();
    drill(&case, &["--what", "cover", "--methods", "Calls", "--out", "out"], &["Calls", "1"])
        .ends()
        .assert_status(0);
    for form in ["callgrind", "speedscope", "graphml", "dot", "calls"] {
        let output = case.spl_with(&["export", "out", "--as", form]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains("out/drill/drill.json: it has coverage") && said.contains("without `--what cover`"),
            "{said}"
        );
    }
}
