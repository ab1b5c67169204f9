//! `spl drill --what calls`: what each call entered, with its receivers.

use crate::drill::{case, drill, exported, table};

const WHAT: [&str; 4] = ["--what", "calls", "--methods", "Arcs**"];
const ROUNDS: u64 = 40;

/// Answers of the calls of a callee in a method: the answer, what was entered, the receiver, the calls.
fn answers(of: &[Vec<String>], callee: &str) -> Vec<(String, String, String, u64)> {
    let mut found: Vec<_> = of
        .iter()
        .filter(|line| line[4] == callee)
        .map(|line| (line[5].clone(), line[6].clone(), line[7].clone(), line[8].parse().unwrap()))
        .collect();
    found.sort();
    found
}

fn check(options: &[&str]) {
    let case = case();
    let rounds = ROUNDS.to_string();
    let ended = drill(&case, &WHAT, &[options, &["Arcs", &rounds]].concat()).ends_by_itself();
    ended.assert_status(0);
    let arcs = table(&case.path("out/drill/arcs.csv"));
    let check = |method: &str, callee: &str, expected: &[(&str, &str, &str, u64)]| {
        let found = answers(&arcs[method], callee);
        let found: Vec<_> = found.iter().map(|(a, b, c, n)| (&**a, &**b, &**c, *n)).collect();
        let mut expected: Vec<_> = expected.iter().map(|(a, b, c, n)| (*a, *b, *c, n * ROUNDS)).collect();
        expected.sort_unstable();
        assert_eq!(found, expected, "{method} {callee}");
    };
    let page = std::fs::read_to_string(case.path("out/drill.html")).unwrap();
    let (_, sites) = page.split_once("<h2>Polymorphic calls</h2>").expect("it is there");
    let (sites, _) = sites.split_once("</section>").unwrap();
    assert!(sites.contains("<b>megamorphic</b>, 3 classes, 2 methods"), "{sites}");
    let area = |class: &str| format!("Arcs${class}.area()I");
    let (square, circle) = (area("Square"), area("Circle"));
    let turns = [
        ("entered", &*square, "Arcs$Square", 100),
        ("entered", &*circle, "Arcs$Circle", 100),
        ("entered", &*circle, "Arcs$Disc", 100),
    ];
    check("Arcs.inTurn([LArcs$Shape;)I", "Arcs$Shape.area()I", &turns);
    let without = [("entered", &*square, "Arcs$Square", 9), ("not entered", "", "", 1)];
    check("Arcs.withoutReceiver(LArcs$Shape;)I", "Arcs$Shape.area()I", &without);
    let other = "an implementation whose class does not count";
    let lambda = [("via", "Arcs.step()V", "", 50), ("unseen", other, "", 50)];
    check("Arcs.lambda(Ljava/lang/Runnable;I)V", "java/lang/Runnable.run()V", &lambda);
    let step = |calls| [("entered", "Arcs.step()V", "", calls)];
    check("Arcs.lambda$privileged$0()Ljava/lang/Void;", "Arcs.step()V", &step(1));
    check("Arcs.thrown(I)I", "Arcs.step()V", &step(3));
    let through = [("entered", "Arcs.step()V", "", 6), ("not entered", "", "", 3)];
    check("Arcs.through(I)V", "Arcs.step()V", &through);
    let late = &arcs["Arcs.main([Ljava/lang/String;)V"];
    let late = answers(late, "Arcs$Late.get()I");
    let implicit =
        |one: &&(String, String, String, u64)| one.0 == "implicit" && one.1 == "Arcs$Late.<clinit>()V";
    assert_eq!(late.iter().find(implicit).map(|one| one.3), Some(1), "{late:?}");
    let receivers = table(&case.path("out/drill/receivers.csv"));
    // Executions, entries, methods, classes, changes, and threads at least and at most: the receivers come in turn, also from one round to the next.
    let of = |method: &str| receivers[method][0][5..].join(" ");
    assert_eq!(
        of("Arcs.inTurn([LArcs$Shape;)I"),
        format!("{0} {0} 2 3 {1} 1 1", 300 * ROUNDS, 300 * ROUNDS - 1)
    );
    assert_eq!(
        of("Arcs.withoutReceiver(LArcs$Shape;)I"),
        format!("{} {} 1 1 0 1 1", 10 * ROUNDS, 9 * ROUNDS)
    );
}

#[test]
fn calls_that_change_their_carrier_keep_their_arcs() {
    const CALLS: u64 = 64 * 100;
    let case = case();
    let what = ["--what", "calls", "--methods", "MovedArcs**"];
    // More carriers than this machine may have processors; older JVMs do not know the property.
    let program = ["-Djdk.virtualThreadScheduler.parallelism=4", "MovedArcs"];
    let ended = drill(&case, &what, &program).ends_by_itself();
    ended.assert_status(0);
    let arcs = table(&case.path("out/drill/arcs.csv"));
    let step = |class: &str, calls| {
        ("entered".to_owned(), format!("MovedArcs${class}.step(I)I"), format!("MovedArcs${class}"), calls)
    };
    let static_call =
        |name: &str, calls| ("entered".to_owned(), format!("MovedArcs.{name}(I)I"), String::new(), calls);
    let go = &arcs["MovedArcs.go([LMovedArcs$Step;)I"];
    let steps = answers(go, "MovedArcs$Step.step(I)I");
    assert_eq!(steps, [step("Even", CALLS / 2), step("Odd", CALLS / 2)], "{}", ended.out);
    assert_eq!(answers(go, "MovedArcs.moved(I)I"), [static_call("moved", CALLS)]);
    let leaf = [
        ("MovedArcs.moved(I)I", CALLS),
        ("MovedArcs$Odd.step(I)I", CALLS / 2),
        ("MovedArcs$Even.step(I)I", CALLS / 2),
    ];
    for (caller, calls) in leaf {
        assert_eq!(answers(&arcs[caller], "MovedArcs.leaf(I)I"), [static_call("leaf", calls)], "{caller}");
    }
}

#[test]
fn exported_calls_are_those_that_were_entered() {
    let case = case();
    drill(&case, &WHAT, &["Arcs", "1"]).ends_by_itself().assert_status(0);
    let calls = exported(&case, "calls");
    let (_, rest) = calls.split_once("Arcs.inTurn([LArcs$Shape;)I: 1 calls").unwrap();
    let callees: Vec<&str> = rest
        .lines()
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_once("to "))
        .map(|(_, to)| to.trim())
        .collect();
    assert_eq!(callees.len(), 2, "{callees:?}");
    assert!(
        callees[0].starts_with("200 calls ") && callees[0].contains("Arcs$Circle.area()I"),
        "{callees:?}"
    );
    assert!(
        callees[1].starts_with("100 calls ") && callees[1].contains("Arcs$Square.area()I"),
        "{callees:?}"
    );
    assert!(calls.lines().skip(2).all(|line| !line.contains('~')), "{calls}");
    std::fs::remove_file(case.path("out/drill/arcs.csv")).unwrap();
    let output = case.spl_with(&["export", "out", "--as", "dot"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(2) && said.contains("arcs.csv") && said.contains("run it again"),
        "{said}"
    );
}

#[test]
fn each_call_has_its_answer_compiled() {
    check(&[]);
}

#[test]
fn each_call_has_its_answer_interpreted() {
    check(&["-Xint"]);
}

#[test]
fn each_call_has_its_answer_with_the_first_compiler() {
    check(&["-XX:TieredStopAtLevel=1", "-Xcheck:jni"]);
}

#[test]
fn native_methods_are_told_and_the_drill_of_the_jdk_restores_it() {
    let case = case();
    let options =
        ["--what", "calls", "--methods", "Arcs**", "java.lang.System#*", "java.util.concurrent.**#*"];
    let ended = drill(&case, &options, &["-Xverify:all", "Arcs", "3"]).ends_by_itself();
    ended.assert_status(0);
    let arcs = table(&case.path("out/drill/arcs.csv"));
    let copy = "java/lang/System.arraycopy(Ljava/lang/Object;ILjava/lang/Object;II)V";
    let found = answers(&arcs["Arcs.natives([I)I"], copy);
    // Methods that the JVM runs to link the call may count, too.
    let native = ("native".to_owned(), String::new(), String::new(), 60);
    assert!(
        found.contains(&native) && found.iter().all(|one| one == &native || one.0 != "unseen"),
        "{found:?}"
    );
}
