//! Methods named as in Java are found among those of the program, and formulas are about the methods found.

use spl_lang::ast::{Formula, Statistic};
use spl_lang::{Atom, Program, RunMode, Scaled, Severity, Sign, parse_file, parse_tasks};
use spl_model::MethodRef;

const LOADED: [&str; 6] = [
    "java/util/ArrayList.get(I)Ljava/lang/Object;",
    "java/util/ArrayList.remove(I)Ljava/lang/Object;",
    "java/util/ArrayList.remove(Ljava/lang/Object;)Z",
    "java/util/ArrayList.<init>(I)V",
    "java/util/ArrayList.<init>()V",
    "java/util/LinkedList.get(I)Ljava/lang/Object;",
];

fn check(mode: RunMode, text: &str) -> Result<Program, Vec<String>> {
    // Two class loaders have the same classes.
    let loaded: Vec<MethodRef> =
        LOADED.iter().chain(&LOADED).map(|method| method.parse().expect("legal")).collect();
    let shown =
        |errors: Vec<spl_lang::Diagnostic>| errors.iter().map(ToString::to_string).collect::<Vec<_>>();
    parse_file(text, mode).map_err(shown)?.check(text, &mut |_| loaded.clone()).map_err(shown)
}

fn names(program: &Program) -> Vec<String> {
    program.tasks.methods.iter().map(ToString::to_string).collect()
}

#[test]
fn each_pattern_is_the_method_it_means() {
    let text = "let get = java.util.ArrayList::get\nlet same = get\n\
                same <= (1, 2) java.util.LinkedList#get(int): E\n\
                java.util.ArrayList#remove(Object), p.P < java/util/ArrayList.get(I)Ljava/lang/Object;\n";
    let program = check(RunMode::Comparison, text).unwrap();
    assert_eq!(names(&program), [LOADED[0], LOADED[5], &format!("{}, p.P", LOADED[2])]);
    let pairs: Vec<_> = program.tasks.comparisons.iter().map(|one| (one.left, one.right, one.line)).collect();
    assert_eq!(pairs, [(0, 1, 3), (2, 0, 4)]);
    assert_eq!(program.assertions, []);
}

#[test]
fn patterns_that_mean_none_or_several_are_refused_where_one_is_compared() {
    let text = "java.util.ArrayList#remove < java.util.ArrayList#size()\n";
    let expected = [
        "1:1: error: 2 methods match, but a comparison needs exactly one",
        "1:30: error: no \
        such method",
    ];
    assert_eq!(check(RunMode::Comparison, text).unwrap_err(), expected);
    let text = "let get = java.util.Vector#get\nassert \"t\": get < 1 ms & get < java.util.Stack#pop()\n";
    let expected = ["1:11: error: no such method", "2:32: error: no such method"];
    assert_eq!(check(RunMode::Comparison, text).unwrap_err(), expected);
}

/// The claims of a text with their methods: comparisons, then assertions.
fn claims(text: &str) -> Vec<String> {
    let program = check(RunMode::Comparison, text).expect("legal");
    let name = |method: usize| program.tasks.methods[method].method.to_string();
    let comparison = |one: &spl_lang::Comparison| {
        let member = one.member.as_ref().map(|member| format!(" {member}")).unwrap_or_default();
        format!("{}: {} {} {}{member}", one.line, name(one.left), one.sign, name(one.right))
    };
    let assertion = |one: &spl_lang::Assertion| {
        let methods = one.methods().into_iter().map(name).collect::<Vec<_>>().join(", ");
        format!("{}: {} ({methods})", one.line, one.title)
    };
    let comparisons = program.tasks.comparisons.iter().map(comparison);
    comparisons.chain(program.assertions.iter().map(assertion)).collect()
}

#[test]
fn a_claim_with_a_set_is_a_claim_for_each_of_its_methods() {
    // The method on the other side is not compared with itself.
    let text = "java.util.*List#get <= (1, 2) java.util.LinkedList#get\njava.util.ArrayList#get < java.util.ArrayList#remove(**)\n";
    let get = LOADED[0];
    assert_eq!(
        claims(text),
        [
            format!("1: {get} <= {} [1 of 1: java.util.ArrayList#get(int)]", LOADED[5]),
            format!("2: {get} < {} [1 of 2: java.util.ArrayList#remove(int)]", LOADED[1]),
            format!("2: {get} < {} [2 of 2: java.util.ArrayList#remove(java.lang.Object)]", LOADED[2]),
        ]
    );
    assert_eq!(
        claims("p99(java.util.**#get) < 5 ms\n"),
        [
            format!("1: p99(java.util.**#get) < 5 ms [1 of 2: java.util.ArrayList#get(int)] ({get})"),
            format!(
                "1: p99(java.util.**#get) < 5 ms [2 of 2: java.util.LinkedList#get(int)] ({})",
                LOADED[5]
            ),
        ]
    );
}

#[test]
fn a_set_means_the_same_method_everywhere_in_an_assertion() {
    let text = "let any = java.util.*List#get\nassert \"t\": median(any) < 1 ms & p99(any) < 5 ms & java.util.ArrayList#remove(int) < 1 s\n";
    let expected = [
        (LOADED[0], "1 of 2: java.util.ArrayList#get(int)"),
        (LOADED[5], "2 of 2: java.util.LinkedList#get(int)"),
    ];
    let mut expected: Vec<String> = expected
        .iter()
        .map(|(method, member)| format!("2: t [{member}] ({method}, {})", LOADED[1]))
        .collect();
    // Methods stand in the order in which they were found.
    expected[1] = format!("2: t [2 of 2: java.util.LinkedList#get(int)] ({}, {})", LOADED[5], LOADED[1]);
    assert_eq!(claims(text), expected);
}

#[test]
fn a_set_without_a_method_to_judge_is_refused() {
    let refused =
        |text: &str, expected: &str| assert_eq!(check(RunMode::Comparison, text).unwrap_err(), [expected]);
    refused("java.util.Vector#* < 5 ms\n", "1:1: error: no such method");
    refused("java.util.Linked*#get < java.util.LinkedList#get\n", "1:1: error: the set has no other method");
    // An overloaded name is not a set.
    refused(
        "java.util.ArrayList#remove < 5 ms\n",
        "1:1: error: 2 methods match, but a comparison needs exactly one",
    );
}

#[test]
fn in_measurement_mode_a_pattern_means_all_that_match() {
    let program =
        check(RunMode::Measurement, "java.util.ArrayList#re*\njava.util.*List::get, p.P\n").unwrap();
    let sized = |method: &str| format!("{method}, p.P");
    assert_eq!(names(&program), [LOADED[1], LOADED[2], &sized(LOADED[0]), &sized(LOADED[5])]);
    assert_eq!(names(&check(RunMode::Measurement, "java.util.ArrayList#new").unwrap()).len(), 2);
    let program = check(RunMode::Measurement, "java.util.ArrayList#get\njava.util.ArrayList#*\n").unwrap();
    assert_eq!(names(&program), LOADED[..3]);
    let warnings: Vec<_> = program.tasks.warnings.iter().map(|one| (one.severity, one.line)).collect();
    assert_eq!(warnings, [(Severity::Warning, 2)]);
    let two = "java.util.ArrayList#get, p.P\njava.util.ArrayList#g*, p.Q\n";
    let expected = format!("2:25: error: two size processors for `{}`", LOADED[0]);
    assert_eq!(
        check(RunMode::Measurement, two).unwrap_err(),
        ["2:1: warning: a method is listed twice".into(), expected]
    );
}

#[test]
fn formulas_are_about_the_methods_found() {
    let text = "let f = a/B.f()V\nlet g = a/B.g()V\n\
                assert \"t\": 2 * f < median(g) => 5 us >= f at 1%\n\
                p99(f) = g within 5%\n\
                median(f) < g\n\
                f < (1, 2) g\n";
    let program = check(RunMode::Comparison, text).unwrap();
    let plain = |method, factor| Scaled { method, statistic: Statistic::Mean, factor };
    let [first, second, third] = &program.assertions[..] else { panic!("{program:?}") };
    assert_eq!((first.title.as_str(), first.line, first.level.map(|level| level.0)), ("t", 3, Some(1.0)));
    let mut atoms = Vec::new();
    first.formula.value.for_each(&mut |atom| atoms.push(*atom));
    let median = Scaled { statistic: Statistic::Median, ..plain(1, 1.0) };
    assert_eq!(atoms[0], Atom::Pair { left: plain(0, 2.0), sign: Sign::Less, right: median, within: None });
    let bound = Atom::Bound { times: plain(0, 1.0), sign: Sign::LessOrEqual, bound_ns: 5000.0, within: None };
    assert_eq!(atoms[1], bound);
    assert_eq!((second.title.as_str(), second.line), ("p99(f) = g within 5%", 4));
    assert!(matches!(second.formula.value, Formula::Relation(Atom::Pair { within: Some(_), .. })));
    assert_eq!((third.title.as_str(), third.line), ("median(f) < g", 5));
    assert_eq!(program.tasks.comparisons.len(), 1);
}

#[test]
fn plain_task_files_refuse_what_they_cannot_hold() {
    let text = "let f = a/B.f()V\nf < (1, 2) a/B.g()V\n2 * f < a/B.g()V\n";
    let tasks = parse_tasks(text, RunMode::Comparison).unwrap();
    assert_eq!((tasks.comparisons[0].right_factor, tasks.comparisons[1].left_factor), (2.0, 2.0));
    let text = "java.util.ArrayList#get(int) < 5 ms\na/B.f()V < 5 ms\nassert \"t\": a/B.f()V < a/B.g()V\np.*#f < p.C#g\n";
    let errors = parse_tasks(text, RunMode::Comparison).unwrap_err();
    let got: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let expected = [
        "1:1: error: a method named as in Java has to be looked up in its class",
        "2:1: error: only plain comparisons can be decided here",
        "3:1: error: only plain comparisons can be decided here",
        "4:1: error: a method named as in Java has to be looked up in its class",
        "4:9: error: a method named as in Java has to be looked up in its class",
    ];
    assert_eq!(got, expected);
}

#[test]
fn names_may_stand_for_names_and_each_adds_its_processor() {
    let chain: String = (1..5000).map(|index| format!("let k{index} = k{}\n", index - 1)).collect();
    let text = format!("let k0 = a/B.f()V\n{chain}k4999 < a/B.g()V\n");
    let program = check(RunMode::Comparison, &text).unwrap();
    assert_eq!(names(&program), ["a/B.f()V", "a/B.g()V"]);
    let text = "let f = a/B.f()V\nlet sized = f, p.P\nf < a/B.g()V\nsized < a/B.h()V\n";
    assert_eq!(names(&check(RunMode::Comparison, text).unwrap()), ["a/B.f()V, p.P", "a/B.g()V", "a/B.h()V"]);
    let text = "let f = a/B.f()V, p.P\nlet g = f, p.Q\ng < a/B.g()V\ng < a/B.h()V\n";
    let expected = ["2:12: error: two size processors for `a/B.f()V`"];
    assert_eq!(check(RunMode::Comparison, text).unwrap_err(), expected);
}

#[test]
fn formulas_that_say_nothing_new_are_warned_of() {
    let text = "let f = a/B.f()V\nlet g = a/B.g()V\n\
                assert \"1\": p99(f) < p99(f) & f < g\nassert \"2\": f<5 ms | f < g\n\
                assert \"3\": f < 5 ms | (f < g)\nassert \"4\": f < 5 ms | f < g at 1%\n\
                f < 5 ms\nf < 5 ms\nmedian(f) < p99(f)\n";
    let program = check(RunMode::Comparison, text).unwrap();
    let warnings: Vec<String> = program.tasks.warnings.iter().map(ToString::to_string).collect();
    let expected = [
        "3:1: warning: a method is compared with itself",
        "5:1: warning: the formula is asserted twice",
        "8:1: warning: the formula is asserted twice",
    ];
    assert_eq!(warnings, expected);
}

#[test]
fn a_mean_beside_a_median_is_warned_of() {
    let warns = |line: &str| {
        let text = format!("let f = a/B.f()V\nlet g = a/B.g()V\n{line}\n");
        let program = check(RunMode::Comparison, &text).unwrap();
        let texts = program.tasks.warnings.iter().map(ToString::to_string);
        texts.filter(|text| text.starts_with("3:")).collect::<Vec<_>>()
    };
    let warning = "3:1: warning: one side is a mean, the other is not";
    for slip in ["median(f) <= 2 * g", "f < p99(g)", "assert \"a\": f < 5 ms & median(f) < g"] {
        assert_eq!(warns(slip), [warning], "{slip}");
    }
    for meant in [
        "median(f) <= 2 * median(g)",
        "median(f) <= mean(g)",
        "median(f) < p99(g)",
        "f < g",
        "median(f) < 1 s",
    ] {
        assert_eq!(warns(meant), [""; 0], "{meant}");
    }
}

#[test]
fn a_pattern_means_no_more_methods_than_anybody_measures() {
    let many = |count: usize| -> Vec<MethodRef> {
        (0..count).map(|number| format!("p/C.f{number}()V").parse().expect("legal")).collect()
    };
    let check = |count| {
        let file = parse_file("p.C#f*", RunMode::Measurement).unwrap();
        file.check("p.C#f*", &mut |_| many(count)).map(|program| program.tasks.methods.len())
    };
    assert_eq!(check(1000), Ok(1000));
    assert_eq!(check(1001).unwrap_err()[0].to_string(), "1:1: error: 1001 methods match");
}

#[test]
fn one_instance_size_or_formula_of_several_may_be_enough() {
    let check = |formula: &str, expected: bool| {
        let text = format!(
            "let f = java/util/ArrayList.<init>()V\nlet g = java/util/LinkedList.get(I)Ljava/lang/Object;\nassert \"a\": {formula}\n"
        );
        let program = check(RunMode::Comparison, &text).expect(formula);
        assert_eq!(program.assertions[0].is_one_of_several_enough(), expected, "{formula}");
    };
    check("f < g & g < 1 s", false);
    check("for all sizes: f < g", false);
    check("for all instances: f < g", false);
    check("for some size: f < g", true);
    check("for some instance: f < g", true);
    check("f < 1 ms & (f < g | g < 1 s)", true);
}

/// Classes with one method without a body.
struct Shop;

impl spl_lang::Classes for Shop {
    fn meant(&mut self, _: &spl_lang::ast::MethodPattern) -> Vec<MethodRef> {
        vec!["p/Codec.encode()V".parse().expect("a method")]
    }

    fn implementations(&mut self, _: &MethodRef) -> Option<Vec<MethodRef>> {
        Some(["p/B.encode()V", "p/A.encode()V"].map(|one| one.parse().expect("a method")).into())
    }
}

#[test]
fn a_method_without_a_body_means_those_that_implement_it() {
    let names = |text: &str, mode| {
        let program = parse_file(text, mode).unwrap().check_in(text, &mut Shop).unwrap();
        program.tasks.methods.iter().map(|one| one.method.to_string()).collect::<Vec<_>>()
    };
    let measured = names("p.Codec#encode", RunMode::Measurement);
    assert_eq!(measured, ["p/A.encode()V", "p/B.encode()V"]);
    // One method is compared, so nothing stands for it.
    assert_eq!(names("p.Codec#encode < 5 ms", RunMode::Comparison), ["p/Codec.encode()V"]);
}
