//! `spl drill --what receivers`: the classes of receivers, and the methods that they chose.

use crate::drill::{case, drill, table};
use std::collections::BTreeMap;

/// Each answer to the calls of a callee in a method with its receiver, and the number of calls.
fn received(
    arcs: &BTreeMap<String, Vec<Vec<String>>>,
    method: &str,
    callee: &str,
) -> Vec<(String, String, u64)> {
    let lines = arcs[&format!("Receivers.{method}")].iter().filter(|line| line[4].contains(callee));
    let short = |text: &str| text.replace("Receivers$", "");
    let answer = |line: &Vec<String>| match &*line[5] {
        "entered" => short(&line[6]),
        other => other.to_owned(),
    };
    let mut all: Vec<_> =
        lines.map(|line| (answer(line), short(&line[7]), line[8].parse().unwrap())).collect();
    all.sort();
    all
}

/// A method whose receivers' classes are known without a look.
const KNOWN: &str = "known(Ljava/lang/String;LReceivers$Last;)I";

/// Of three calls with `null` nothing comes behind the first `once`.
fn check_known(arcs: &BTreeMap<String, Vec<Vec<String>>>) {
    let text = "(Ljava/lang/String;)I";
    let answer = |what: &str, class: &str, calls: u64| (what.to_owned(), class.to_owned(), calls);
    let of_last = |name: &str, calls| answer(&format!("Last.{name}{text}"), "Last", calls);
    assert_eq!(received(arcs, KNOWN, "twice"), [of_last("twice", 13)]);
    let inner = arcs.iter().filter_map(|(method, lines)| {
        Some((format!("Receivers.{}", method.strip_prefix("Receivers$Last.")?), lines.clone()))
    });
    let inner: BTreeMap<_, _> = inner.collect();
    let left = answer("not entered", "", 3);
    assert_eq!(
        received(&inner, &format!("twice{text}"), "once"),
        [of_last("once", 10), of_last("once", 13), left.clone()]
    );
    let length = answer("unseen", "java/lang/String", 20);
    assert_eq!(received(&inner, &format!("once{text}"), "length"), [left, length]);
}

fn check(options: &[&str]) {
    let case = case();
    let what = ["--what", "receivers", "--all"];
    let ended = drill(&case, &what, &[options, &["-Xcheck:jni", "Receivers"]].concat()).ends_by_itself();
    ended.assert_status(0);
    assert!(ended.out.ends_with("sum 99820\n"), "{}", ended.out);
    let arcs = table(&case.path("out/drill/arcs.csv"));
    let check = |method: &str, callee: &str, expected: &[(&str, &str, u64)]| {
        let found = received(&arcs, method, callee);
        let found: Vec<_> = found.iter().map(|(a, b, n)| (&**a, &**b, *n)).collect();
        assert_eq!(found, expected, "{method} {callee}");
    };
    let shapes = "shapes([LReceivers$Shape;I)J";
    let area = [
        ("Circle.area()I", "Circle", 1000),
        ("Circle.area()I", "Disc", 1000),
        ("Square.area()I", "Square", 4000),
    ];
    check(shapes, "area", &area);
    let name = |class: &str| format!("{class}.name()Ljava/lang/String;");
    let (circle, shape) = (name("Circle"), name("Shape"));
    let names = [(&*circle, "Circle", 1000), (&circle, "Disc", 1000), (&shape, "Square", 4000)];
    check(shapes, "name", &names);
    check(shapes, "java/lang/String.length", &[("unseen", "java/lang/String", 6000)]);
    let wide = "wide(LReceivers$Wide;LReceivers$Wide;I)J";
    for inherited in ["one(J)J", "three(DLjava/lang/Object;)D"] {
        let method = format!("Wide.{inherited}");
        check(wide, inherited, &[(&method, "Wide", 2400), (&method, "Wider", 600)]);
    }
    let many = ["Wide", "Wider"].map(|class| format!("{class}.many(BJFDLjava/lang/Object;[IZC)J"));
    check(wide, "many", &[(&many[0], "Wide", 2400), (&many[1], "Wider", 600)]);
    let compare =
        received(&arcs, "compare(Ljava/util/Comparator;Ljava/lang/Integer;Ljava/lang/Integer;)I", "compare");
    let [lambda, reverse] = &compare[..] else { panic!("{compare:?}") };
    assert!(lambda.1.contains("$Lambda") && lambda.2 == 1500, "{compare:?}");
    assert_eq!((&*reverse.1, reverse.2), ("java/util/Collections$ReverseComparator", 1500));
    let arrays = ["[I", "[Ljava/lang/String;", "java/lang/String"];
    check("arrays(I)I", "getClass", &arrays.map(|class| ("unseen", class, 1000)));
    check("nobody(LReceivers$Shape;)I", "area", &[("not entered", "", 5)]);
    check_known(&arcs);
    // Of eight classes of one name the JVM has unloaded some, whose calls are nobody's.
    let gone = received(&arcs, "gone(Ljava/lang/Runnable;)V", "run");
    let named: u64 = gone.iter().filter(|one| !one.1.is_empty()).map(|one| one.2).sum();
    assert_eq!(gone.iter().map(|one| one.2).sum::<u64>(), 80, "{gone:?}");
    assert!(gone.iter().all(|one| one.1.is_empty() || one.1.starts_with("Gone")) && named < 80, "{gone:?}");
    let namesakes = ["Namesake", "Namesake (2)", "Namesake (3)"].map(|class| ("Namesake.run()V", class, 10));
    check("namesakes([Ljava/lang/Runnable;)V", "run", &namesakes);

    let receivers = table(&case.path("out/drill/receivers.csv"));
    // Calls, entries, methods, classes, changes, threads at least and at most.
    let of = |method: &str| receivers[&format!("Receivers.{method}")][0][5..].join(" ");
    assert_eq!(of(shapes), "6000 6000 2 3 2999 2 2");
    assert_eq!(of("namesakes([Ljava/lang/Runnable;)V"), "30 30 1 3 29 1 1");
    assert_eq!(of("nobody(LReceivers$Shape;)I"), "5 0 0 0 0 0 0");
    // 13 calls, of two threads, of one class.
    assert_eq!(of(KNOWN), "13 13 1 1 0 2 2");
    let [.., least, most] = &receivers["Receivers.inOneOfMany(LReceivers$Shape;)I"][0][..] else { panic!() };
    let (least, most): (u64, u64) = (least.parse().unwrap(), most.parse().unwrap());
    assert!(
        (10..60).contains(&least) && (60..80).contains(&most),
        "60 threads, not all apart: {least} to {most}"
    );
    let page = std::fs::read_to_string(case.path("out/drill.html")).unwrap();
    assert!(page.contains("<b>megamorphic</b>, 3 classes, 2 methods"));
}

#[test]
fn receivers_are_counted_in_front_of_their_calls() {
    check(&[]);
}

#[test]
fn receivers_of_compiled_code_are_counted() {
    check(&["-Xcomp", "-XX:CompileCommand=quiet", "-XX:CompileCommand=compileonly,Receivers*::*"]);
}

/// Objects of such a JVM have no number of four bytes: identity hashes tell classes apart.
#[test]
fn receivers_of_other_headers_are_counted() {
    check(&["-XX:-UseCompressedClassPointers"]);
}
