//! Task files of the thesis's form (3.3.3): accepted ones, refused ones and the messages.

use spl_lang::{Comparison, Diagnostic, RunMode, Sign, Tasks, parse_tasks};

fn comparisons(text: &str) -> Tasks {
    parse_tasks(text, RunMode::Comparison).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

/// Place, message and help of the file's only error.
fn check_error(mode: RunMode, text: &str, place: (usize, usize), message: &str, help: &str) {
    let errors = parse_tasks(text, mode).expect_err(text);
    assert_eq!(errors.len(), 1, "{text}: {errors:?}");
    let Diagnostic { line, column, message: got, help: got_help, .. } = &errors[0];
    assert_eq!(((*line, *column), got.as_str()), (place, message), "{text}");
    let got_help = got_help.as_deref().unwrap_or_default();
    assert!(got_help.contains(help), "{text}: {got_help}");
}

#[test]
fn a_comparison_has_signs_factors_and_processors() {
    let check = |text: &str, sign: Sign, factors: (f64, f64), processors: [Option<&str>; 2]| {
        let tasks = comparisons(text);
        let Comparison { left, right, sign: got, left_factor, right_factor, line, .. } = tasks.comparisons[0];
        assert_eq!((left, right, got, (left_factor, right_factor), line), (0, 1, sign, factors, 1), "{text}");
        let got: Vec<_> = tasks.methods.iter().map(|method| method.processor.as_deref()).collect();
        assert_eq!(got, processors, "{text}");
        assert_eq!(tasks.methods[0].method.to_string(), "a/B.<init>(I)V", "{text}");
        assert_eq!(tasks.methods[1].method.to_string(), "a/C$D.g([J)La/B;", "{text}");
    };
    let none = [None, None];
    check("a/B.<init>(I)V < a/C$D.g([J)La/B;", Sign::Less, (1.0, 1.0), none);
    check("a/B.<init>(I)V<a/C$D.g([J)La/B;", Sign::Less, (1.0, 1.0), none);
    check("  a/B.<init>(I)V\t<=\ta/C$D.g([J)La/B;  ", Sign::LessOrEqual, (1.0, 1.0), none);
    check("a/B.<init>(I)V = (1, 2.5) a/C$D.g([J)La/B;", Sign::Equal, (1.0, 2.5), none);
    check("a/B.<init>(I)V>=(2e-3,.5)a/C$D.g([J)La/B;", Sign::GreaterOrEqual, (0.002, 0.5), none);
    check("a/B.<init>(I)V > ( 1 , 3 ) a/C$D.g([J)La/B; # why", Sign::Greater, (1.0, 3.0), none);
    let both = [Some("p.Left"), Some("p.q.Right$In")];
    check("a/B.<init>(I)V, p.Left <= a/C$D.g([J)La/B;, p.q.Right$In", Sign::LessOrEqual, (1.0, 1.0), both);
    check("a/B.<init>(I)V,p.Left<=(1,1)a/C$D.g([J)La/B; ,p.q.Right$In", Sign::LessOrEqual, (1.0, 1.0), both);
}

#[test]
fn a_method_in_several_comparisons_is_measured_once() {
    let tasks = comparisons(
        "\u{feff}# three\r\n\r\na/B.f()V < a/B.g()V\r\na/B.g()V, p.P <= a/B.h()V\r\na/B.h()V = a/B.f()V",
    );
    let methods: Vec<String> = tasks.methods.iter().map(ToString::to_string).collect();
    assert_eq!(methods, ["a/B.f()V", "a/B.g()V, p.P", "a/B.h()V"]);
    let pairs: Vec<_> = tasks.comparisons.iter().map(|one| (one.left, one.right, one.line)).collect();
    assert_eq!(pairs, [(0, 1, 3), (1, 2, 4), (2, 0, 5)]);
    assert_eq!(tasks.methods.iter().map(|method| method.line).collect::<Vec<_>>(), [3, 3, 4]);
    assert_eq!(tasks.warnings, []);
}

#[test]
fn measurement_mode_lists_methods() {
    let text = "java/lang/Integer.compareTo(Ljava/lang/Integer;)I\nx/Č.měř(Z)[I, p.Size # sized\n";
    let tasks = parse_tasks(text, RunMode::Measurement).unwrap();
    assert_eq!(tasks.comparisons, []);
    assert_eq!(tasks.methods[1].processor.as_deref(), Some("p.Size"));
    assert_eq!(tasks.to_string(), text.replace(" # sized", ""));
}

#[test]
fn the_task_lists_of_the_examples_are_read() {
    let check = |mode: RunMode, text: &str, methods: usize, comparisons: usize| {
        let tasks = parse_tasks(text, mode).unwrap();
        assert_eq!((tasks.methods.len(), tasks.comparisons.len()), (methods, comparisons));
        assert_eq!(tasks.warnings, []);
    };
    check(RunMode::Comparison, include_str!("../../tasks/rome.tasks"), 5, 3);
    check(RunMode::Measurement, include_str!("../../tasks/sorting.tasks"), 22, 0);
}

#[test]
fn every_error_of_the_file_is_reported() {
    let text = "a/B.f(int)V =< a/B.g(long)V\n\na/B.f()V < (0, x) a/B.g()\na/B.f()V\n< a/B.g()V\nnonsense\n";
    let errors = parse_tasks(text, RunMode::Comparison).unwrap_err();
    let got: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        got,
        [
            "1:7: error: illegal descriptor",
            "1:13: error: `=<` is not a comparison sign",
            "1:22: error: illegal descriptor",
            "3:13: error: a factor must be greater than 0",
            "3:16: error: not a number",
            "3:26: error: the return type is missing",
            "4:1: error: a comparison stands on one line",
            "6:9: error: expected a comparison sign",
        ]
    );
}

#[test]
fn errors_say_what_would_be_right() {
    let check = |text: &str, column: usize, message: &str, help: &str| {
        check_error(RunMode::Comparison, text, (1, column), message, help);
    };
    check("a/B.f()V => a/B.g()V", 10, "`=>` is not a comparison sign", "did you mean `>=`?");
    check("a/B.f()V == a/B.g()V", 10, "`==` is not a comparison sign", "did you mean `=`?");
    check("a/B.f()V != a/B.g()V", 10, "`!=` is not a comparison sign", "`<` or `>`");
    check("a.B.f()V < a/B.g()V", 1, "illegal class name", "did you mean `a/B.f()V`?");
    check("a/B.f()V <", 11, "expected a method", "java/lang/Integer.compareTo");
    check("a/B.f()V is a/B.g()V", 10, "expected a comparison sign", "`<=`");
    check("a/B.f()V < (1) a/B.g()V", 14, "expected two factors in parentheses", "`(a, b)`");
    check("a/B.f()V < (1, 2, 3) a/B.g()V", 17, "expected two factors in parentheses", "`(a, b)`");
    check("a/B.f()V < (1, 2 a/B.g()V", 18, "expected two factors in parentheses", "`(a, b)`");
    check("a/B.f()V < (1, -2) a/B.g()V", 16, "a factor must be greater than 0", "");
    check("a/B.f()V < (1, inf) a/B.g()V", 16, "a factor must be a finite number", "");
    check("a/B.f()V < (1, 1e999) a/B.g()V", 16, "a factor must be a finite number", "");
    check("a/B.f()V, p/P < a/B.g()V", 11, "a size processor is named with dots", "`p.P`");
    check("a/B.f()V, < a/B.g()V", 11, "expected a size processor after the comma", "`, pkg.Processor`");
    check("a/B.f()V, p..P < a/B.g()V", 11, "illegal class name", "");
    check("a/B.f()V < a/B.g()V < a/B.h()V", 21, "unexpected text after the end", "one comparison");
    check(
        "a/B.f()V < a/B.g()V * 2",
        21,
        "unexpected text after the end",
        "before its method, as in `2 * method`",
    );
    check("a/B.f()V = a/B.g()V ± 5%", 21, "unexpected text after the end", "`within 5%`");
    check("a/B.f()V < a/B.g()V ;", 21, "unexpected text after the end", "ends without");
    check("// why", 1, "no statement starts with `//`", "`#`");
    check("a/B.f()V < a/B.g()V // why", 21, "unexpected text after the end", "`#`");
}

#[test]
fn files_without_a_task_and_of_the_other_mode_are_refused() {
    use RunMode::{Comparison, Measurement};
    check_error(Comparison, "", (1, 1), "the file has no task", "one comparison a line");
    check_error(Measurement, "# none\n\n", (1, 1), "the file has no task", "one method a line");
    let message = "a comparison in a file for `run-mode = measurement`";
    check_error(Measurement, "a/B.f()V\na/B.f()V < a/B.g()V\n", (2, 1), message, "`run-mode = comparison`");
    let message = "a method without a comparison in a file for `run-mode = comparison`";
    check_error(Comparison, "a/B.f()V\na/B.g()V\n", (1, 1), message, "`run-mode = measurement`");
}

#[test]
fn a_comparison_that_was_printed_over_several_lines_is_shown_on_one() {
    let text = "# as in print\na/B.build(Lx/R;)\nLx/F;\n<= (1,2)\nc/D.build(Lx/R;)\nLx/G;\n";
    let message = "a comparison stands on one line";
    let joined = "write `a/B.build(Lx/R;)Lx/F; <= (1, 2) c/D.build(Lx/R;)Lx/G;`";
    check_error(RunMode::Comparison, text, (2, 1), message, joined);
    check_error(RunMode::Comparison, "a/B.f()V <\na/B.g()V", (1, 1), message, "write `a/B.f()V < a/B.g()V`");
}

#[test]
fn two_processors_for_one_method_are_an_error_that_names_both_lines() {
    let text = "a/B.f()V, p.P < a/B.g()V\na/B.h()V < a/B.f()V, p.Q\na/B.f()V < (1, 2) a/B.h()V\n";
    check_error(
        RunMode::Comparison,
        text,
        (2, 22),
        "two size processors for `a/B.f()V`",
        "line 1 names `p.P`, line 2 `p.Q`",
    );
}

#[test]
fn warnings_are_given_beside_the_tasks() {
    let check = |mode: RunMode, text: &str, expected: &[&str]| {
        let tasks = parse_tasks(text, mode).unwrap();
        let got: Vec<String> = tasks.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(got, expected, "{text}");
    };
    use RunMode::{Comparison, Measurement};
    check(Comparison, "a/B.f()V < (1, 2) a/B.f()V", &["1:1: warning: a method is compared with itself"]);
    let twice = ["2:1: warning: the comparison is asserted twice"];
    check(Comparison, "a/B.f()V < a/B.g()V\na/B.f()V < (1, 1.0) a/B.g()V", &twice);
    check(Comparison, "a/B.f()V < (1, 2) a/B.g()V\na/B.g()V > (2, 1) a/B.f()V", &twice);
    check(Comparison, "a/B.f()V < a/B.g()V\na/B.f()V <= a/B.g()V\na/B.g()V < a/B.f()V", &[]);
    check(Measurement, "a/B.f()V\na/B.f()V", &["2:1: warning: a method is listed twice"]);
}

#[test]
fn errors_are_shown_under_their_line() {
    let text = "a/B.f()V, p.P < a/B.g()V # ž\nč/B.f(Ljava.lang.String;)V = a/B.f()V\na/B.f()V, p.Q = a/B.h()V\na/B.f()V >";
    let errors = parse_tasks(text, RunMode::Comparison).unwrap_err();
    let shown: Vec<String> = errors.iter().map(|error| error.render("instr.tasks", text)).collect();
    insta::assert_snapshot!(shown.join("\n\n"));
}
