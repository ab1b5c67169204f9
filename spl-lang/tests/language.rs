//! The full language: accepted texts, their printed form, refused texts and the messages.

use spl_lang::{Diagnostic, RunMode, parse_file};

/// One line and its printed form.
fn check_line(mode: RunMode, text: &str, printed: &str) {
    let file = parse_file(text, mode).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let got: Vec<String> = file.statements.iter().map(ToString::to_string).collect();
    assert_eq!(got, [printed], "{text}");
}

/// A formula after `assert "t": ` and names `f`, `g`, `h`, and its printed form.
fn check_formula(text: &str, printed: &str) {
    let file =
        parse_file(&in_assertion(text), RunMode::Comparison).unwrap_or_else(|errors| panic!("{errors:?}"));
    assert_eq!(file.statements[3].to_string(), format!("assert \"t\": {printed}"), "{text}");
}

fn in_assertion(text: &str) -> String {
    format!("let f = a/B.f()V\nlet g = a/B.g()V\nlet h = a/B.h()V\nassert \"t\": {text}\n")
}

/// Place, message and help of the file's only error.
fn check_error(mode: RunMode, text: &str, place: (usize, usize), message: &str, help: &str) {
    let mut errors = parse_file(text, mode).expect_err(text);
    errors.retain(|one| one.severity == spl_lang::Severity::Error);
    assert_eq!(errors.len(), 1, "{text}: {errors:?}");
    let Diagnostic { line, column, message: got, help: got_help, .. } = &errors[0];
    assert_eq!(((*line, *column), got.as_str()), (place, message), "{text}");
    let got_help = got_help.as_deref().unwrap_or_default();
    assert!(got_help.contains(help), "{text}: {got_help}");
}

#[test]
fn methods_are_named_as_in_java() {
    let check = |text: &str, printed: &str| check_line(RunMode::Measurement, text, printed);
    check("java.util.ArrayList#get(int)", "java.util.ArrayList#get(int)");
    check("java.util.ArrayList::get", "java.util.ArrayList#get");
    check("java.util.ArrayList::<init>", "java.util.ArrayList#<init>");
    check("java.util.ArrayList#new( int )", "java.util.ArrayList#<init>(int)");
    check("java.util.ArrayList#new()", "java.util.ArrayList#<init>()");
    check("p.C#f(java.util.Map<String, List<? extends T[]>>, int...)", "p.C#f(java.util.Map, int[])");
    check("p.C#f(Map<K, V>.Entry<K>[] [])", "p.C#f(Map.Entry[][])");
    check("p.C#f(int): List<String>", "p.C#f(int): List");
    check("p.C#f : int[], p.Size", "p.C#f: int[], p.Size");
    check("p.Code#of-impl(int)", "p.Code#of-impl(int)");
    check("p.Out$In#<clinit>", "p.Out$In#<clinit>");
    check("org.jdom2.Verifier#check*", "org.jdom2.Verifier#check*");
    check("org.jdom2.*#*(String): void", "org.jdom2.*#*(String): void");
    let check = |text: &str, printed: &str| check_line(RunMode::Comparison, text, printed);
    check("p.C#f(List<T>)<(1,2)p.C::g", "p.C#f(List) < (1, 2) p.C#g");
    check("p.C#f(): List<p.C#g()", "p.C#f(): List < p.C#g()");
    check("a/B.f()V, p.P <= p.C#new(int), q.Q", "a/B.f()V, p.P <= p.C#<init>(int), q.Q");
}

#[test]
fn wrong_java_names_are_explained() {
    let check = |text: &str, column: usize, message: &str, help: &str| {
        check_error(RunMode::Measurement, text, (1, column), message, help);
    };
    check("p/C#f", 1, "packages are separated by dots before `#` and `::`", "write `p.C`");
    check("p..C#f", 1, "illegal class name", "java.util.ArrayList#get(int)");
    check("p.C#", 5, "expected a method's name", "java.util.ArrayList#get(int)");
    check("p.C#f(int index)", 11, "expected `,` or `)` after a parameter type", "without names");
    check("p.C#f(int", 10, "expected `,` or `)` after a parameter type", "without names");
    check("p.C#f(int,)", 10, "expected `,` or `)` after a parameter type", "without names");
    check("p.C#f(Map<K)", 10, "expected `,` or `)` after a parameter type", "without names");
    check("p.C#f(int): ", 12, "expected a type", "`int`");
    check("p.C.f(int)", 1, "illegal class name", "`p.C#f(int)`");
    check("p.C#f(**, int)", 9, "expected `,` or `)` after a parameter type", "without names");
    let check = |text: &str, place: (usize, usize)| {
        let two = "two sets of methods stand in one claim";
        check_error(RunMode::Comparison, text, place, two, "name one method on the other side");
    };
    check("p.C#f* < p.C#g*", (1, 10));
    check("p.C#f* < p.C#f*", (1, 10));
    check("let f = p.*#f\nlet g = f\ng < f", (3, 5));
    check("p.C#f(**) < @Timed p.D#*", (1, 13));
    check("assert \"t\": p.C#f* < 1 s & p.D#f* < 1 s", (1, 28));
}

#[test]
fn comparisons_have_factors_bounds_statistics_and_tolerances() {
    check_formula("2 * f <= 1.5*g", "2 * f <= 1.5 * g");
    check_formula("f<=(1,2)g", "f <= (1, 2) g");
    check_formula("f <= 5 ms", "f <= 5 ms");
    check_formula("f <= .5s", "f <= 0.5 s");
    check_formula("10 µs >= f", "10 us >= f");
    check_formula("10 μs>=2e3*f", "10 us >= 2000 * f");
    check_formula("f > 100ns", "f > 100 ns");
    check_formula("f = g within 5%", "f = g within 5%");
    check_formula("f = 5 ms within 0.5 %", "f = 5 ms within 0.5%");
    check_formula("mean(f) <= median( g )", "mean(f) <= median(g)");
    check_formula("2 * p99(f) <= p99.9(g)", "2 * p99(f) <= p99.9(g)");
    check_formula("p90 (a/B.f(I)V, p.P) < g", "p90(a/B.f(I)V, p.P) < g");
    check_formula("median(p.C#f(int)) < 2*p.C#g", "median(p.C#f(int)) < 2 * p.C#g");
    check_formula("f < g at 1%", "f < g at 1%");
    check_formula("f = g within 5% at 0.1 %", "f = g within 5% at 0.1%");
}

#[test]
fn connectives_bind_in_the_usual_order() {
    check_formula("f<g & g<h | ! f=h => h>f", "f < g & g < h | ! f = h => h > f");
    check_formula("(f<g & g<h) | ((!(f=h))) ==> h>f", "f < g & g < h | ! f = h => h > f");
    check_formula("f<g & (g<h | f=h)", "f < g & (g < h | f = h)");
    check_formula("(f<g => g<h) => f=h", "(f < g => g < h) => f = h");
    check_formula("f<g => (g<h => f=h)", "f < g => g < h => f = h");
    check_formula("!(f<g & g<h)", "! (f < g & g < h)");
    check_formula("!!f<g", "! ! f < g");
    check_formula("(f<g & g<h) & f=h", "(f < g & g < h) & f = h");
    check_formula("f<g & g<h & f=h", "f < g & g < h & f = h");
}

#[test]
fn quantifiers_choose_sizes() {
    check_formula("for all sizes: f < g", "for all sizes: f < g");
    check_formula("for some size:f<g at 5%", "for some size: f < g at 5%");
    check_formula("for size in [1 KiB, 64KiB): f<g & g<h", "for size in [1 KiB, 64 KiB): f < g & g < h");
    check_formula("for size in [ 0 , inf ) : f<g", "for size in [0, inf): f < g");
    check_formula("for  size  in[1,2):f<g", "for size in [1, 2): f < g");
    check_formula("f<g & for all sizes: g<h | f=h", "f < g & (for all sizes: g < h | f = h)");
    check_formula("(for all sizes: g<h) | f=h", "(for all sizes: g < h) | f = h");
}

#[test]
fn quantifiers_choose_instances() {
    check_formula("for all instances: f < g", "for all instances: f < g");
    check_formula("for  some instance:f<g at 5%", "for some instance: f < g at 5%");
    check_formula("for all instances: for all sizes: f<g", "for all instances: for all sizes: f < g");
    check_formula("for some size: for some instance: f<g", "for some size: for some instance: f < g");
    check_formula("f<g & for all instances: g<h | f=h", "f < g & (for all instances: g < h | f = h)");
}

#[test]
fn titles_hold_any_text() {
    let check = |title: &str| {
        let text = format!("assert {title}: a/B.f()V < a/B.g()V");
        check_line(RunMode::Comparison, &format!("{text}  # why"), &text);
    };
    check(r#""plain""#);
    check(r##""with # and : and \" and \\""##);
    check("\"žluťoučký\"");
}

#[test]
fn wrong_formulas_are_explained() {
    let check = |text: &str, column: usize, message: &str, help: &str| {
        check_error(RunMode::Comparison, &in_assertion(text), (4, column + 12), message, help);
    };
    check("f < g & ", 8, "expected a method", "");
    check("f => g", 3, "`=>` is not a comparison sign", "did you mean `>=`?");
    check("f < g && g < h", 7, "`&&` is not a connective", "write `&`");
    check("f < g || g < h", 7, "`||` is not a connective", "write `|`");
    check("f < g and g < h", 7, "unexpected text after the end", "write `&`");
    check("(f < g", 7, "expected `)` or a connective", "a parenthesis is open");
    check("f < g at 1%#x", 12, "unexpected text after the end", "white space before its `#`");
    check("f < g)", 6, "unexpected text after the end", "no `(`");
    check("f < 5", 6, "expected a unit or `*` after the number", "`5 ms`");
    check("f < 5 sec", 7, "expected a unit or `*` after the number", "ns, us, ms or s");
    check("f < 0 ms", 5, "a bound must be greater than 0", "");
    check("f < 1e290 s & 1e308 s < f", 15, "a bound must be a finite number", "");
    check("-2 * f < g", 1, "a factor must be greater than 0", "");
    check("1.2.3 * f < g", 1, "not a number", "`1.5`");
    check("5 ms < 6 ms", 1, "two bounds are compared", "");
    check("f < (1, 2) 5 ms", 5, "factors in parentheses stand between two methods without factors", "`2 * f");
    check(
        "2 * f < (1, 2) g",
        9,
        "factors in parentheses stand between two methods without factors",
        "`2 * f",
    );
    check("f < g within 5%", 7, "a tolerance needs the sign `=`", "write `=`");
    check("f >= g within 5%", 8, "a tolerance needs the sign `=`", "write `=`");
    check("f = g within 5", 15, "expected a tolerance in percent", "`5%`");
    check("f = g within", 13, "expected a tolerance in percent", "`5%`");
    check("f = g within 0%", 14, "a tolerance must be greater than 0", "");
    check("f < g at 100%", 10, "a significance level must be less than 100%", "");
    check("max(f) < g", 1, "there is no statistic `max`", "`p99.9`");
    check("p100(f) < g", 1, "a percentile lies between 0 and 100", "`p99`");
    check("p9.9.9(f) < g", 1, "a percentile lies between 0 and 100", "`p99`");
    check("mean(f < g", 8, "expected `)` after the method", "`mean(method)`");
    check("for every size: f < g", 5, "expected a quantifier after `for`", "`for all sizes:`");
    check("for all sizes f < g", 15, "expected `:` after the sizes", "`for all sizes:`");
    check("for size in (1, 2]: f < g", 13, "expected an interval of sizes", "`[1 KiB, 64 KiB)`");
    check("for size in [1 kB, 2]: f < g", 16, "expected an interval of sizes", "KiB, MiB or GiB");
    check("for size in [2, 2): f < g", 13, "no size lies in this interval", "");
    check("for size in [1, 99999999999 GiB): f < g", 17, "the size is too large", "");
    check("for all sizes: for some size: f < g", 16, "quantifiers don't nest", "outside");
    check("for all instances f < g", 19, "expected `:` after the instances", "`for all instances:`");
    check("for some instances: f < g", 5, "expected a quantifier after `for`", "`for some instance:`");
    check(
        "for all instances: for some instance: f < g",
        20,
        "quantifiers don't nest",
        "instances are chosen once",
    );
    check(
        "for all sizes: for all instances: for some size: f < g",
        35,
        "quantifiers don't nest",
        "sizes are",
    );
    check("x < g", 1, "no method is called `x`", "did you mean `f`?");
    let deep = format!("{}f < g", "!".repeat(1000));
    check(&deep, 100, "the formula is nested too deeply", "");
}

#[test]
fn wrong_definitions_and_assertions_are_explained() {
    let check = |text: &str, place: (usize, usize), message: &str, help: &str| {
        check_error(RunMode::Comparison, text, place, message, help);
    };
    check("let 1f = a/B.f()V\n", (1, 5), "expected a name", "letters, digits");
    check("let mean = a/B.f()V\n", (1, 5), "expected a name", "not a word of the language");
    check("let f a/B.f()V\nf < f", (1, 7), "expected `=`", "`let name = method`");
    check(
        "let f = a/B.f(int)V\nlet f = a/B.g()V\nf < a/B.h()V",
        (1, 15),
        "illegal descriptor",
        "`a/B.f(I)V`",
    );
    check("let f = a/B.f(int)V\nf < f", (1, 15), "illegal descriptor", "`a/B.f(I)V`");
    let twice = "let f = a/B.f()V\nlet f = a/B.g()V\nf < a/B.h()V";
    check(twice, (2, 5), "the name `f` is given twice", "line 1");
    check("f < a/B.h()V\nlet f = a/B.f()V", (1, 1), "no method is called `f`", "let f = method");
    check(
        "asert \"t\": a/B.f()V < a/B.g()V",
        (1, 1),
        "no statement starts with `asert`",
        "did you mean `assert`?",
    );
    check(
        "lte f = a/B.f()V\na/B.f()V < a/B.h()V",
        (1, 1),
        "no statement starts with `lte`",
        "did you mean `let`?",
    );
    check("let get = a/B.f()V\nget < ", (2, 6), "expected a method", "");
    check("assert f < g", (1, 8), "expected a title in quotation marks", "`assert \"title\": formula`");
    check("assert \"t\" f < g", (1, 12), "expected `:` after the title", "`assert \"title\": formula`");
    check("assert \"\": a/B.f()V < a/B.g()V", (1, 8), "the title is empty", "");
    check("assert \"t: a/B.f()V < a/B.g()V", (1, 8), "the title has no end", "");
    let connected = "unexpected text after the end";
    check("a/B.f()V < a/B.g()V & a/B.f()V < a/B.h()V", (1, 21), connected, "`assert \"title\": a & b at 1%`");
    check(
        "assert \"t\":\na/B.f()V < a/B.g()V",
        (1, 1),
        "an assertion stands on one line",
        "write `assert \"t\": a/B",
    );
    let measured = "an assertion in a file for `run-mode = measurement`";
    check_error(RunMode::Measurement, "assert \"t\": a/B.f()V < a/B.g()V", (1, 1), measured, "comparison");
}

#[test]
fn unused_names_are_a_warning() {
    let text = "let f = a/B.f()V\nlet g = f\na/B.f()V < a/B.g()V";
    let file = parse_file(text, RunMode::Comparison).unwrap();
    let got: Vec<String> = file.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(got, ["2:5: warning: the name is never used"]);
}

#[test]
fn claims_about_metrics_have_one_form() {
    let check = |text: &str, printed: &str| check_line(RunMode::Comparison, text, printed);
    check("metric(size.run,app)<=5000", "metric(size.run, app) <= 5000");
    check("0>=metric ( M39 , p.C#f* )", "0 >= metric(M39, p.C#f*)");
    check("metric(size.codeCoverage.value, p.**) >= 60.0 %", "metric(size.codeCoverage.value, p.**) >= 60%");
    check("metric(a.b[3+], p/C.f(I[J)V) = 0", "metric(a.b[3+], p/C.f(I[J)V) = 0");
    check(
        "metric(a.b,lib)=2*metric(a.b,whole)within 5%",
        "metric(a.b, lib) = 2 * metric(a.b, whole) within 5%",
    );
    check("1.5*metric(a.b,p.C#<init>)<3e-1", "1.5 * metric(a.b, p.C#<init>) < 0.3");
    check_formula(
        "(metric(a.b,f)<1|!metric(a.c,app)>=2)=>metric(a.d,app)=0",
        "metric(a.b, f) < 1 | ! metric(a.c, app) >= 2 => metric(a.d, app) = 0",
    );
}

#[test]
fn wrong_claims_about_metrics_are_explained() {
    let check = |text: &str, column: usize, message: &str, help: &str| {
        check_error(RunMode::Comparison, text, (1, column), message, help);
    };
    check("metric(size.run, app) <= 5 ms", 26, "the value of a metric is a number", "write `5`");
    check("5 µs >= metric(size.run, app)", 1, "the value of a metric is a number", "write `5`");
    check("metric(size.run, app) <= 5 KiB", 26, "the value of a metric is a number", "write `5`");
    check("metric(size.run, app) <= -1", 26, "a metric is never below 0", "");
    check("metric(size.run, app) <= 1e999", 26, "a bound must be a finite number", "");
    check("metric(size.run, app) <= a.B#f", 26, "expected a metric or a number", "`metric(");
    check(
        "a.B#f <= metric(size.run, app)",
        10,
        "a method's times are compared with a metric",
        "another metric",
    );
    check("metric(size.run) <= 1", 16, "expected `,` and what the metric is of", "`metric(");
    check("metric(size.run, ) <= 1", 18, "expected what the metric is of", "`whole`");
    check("metric(size.run, app", 21, "expected `)` after what the metric is of", "`metric(");
    check("metric(, app) <= 1", 8, "expected the name of a metric", "`metric(");
    check("metric(size.run, @p.Timed) <= 1", 18, "a metric is not of this", "`com.shop.**`");
    check("metric(size.run, p.C#f(int)) <= 1", 18, "a metric is not of this", "descriptor");
    check("metric(size.run, app) < 1 within 5%", 27, "a tolerance needs the sign `=`", "write `=`");
    check("metric(size.run, app) <= (1, 2) metric(size.run, lib)", 26, "expected a metric or a number", "");
    check("metric(size.run, app) <= 5 at 1%", 28, "unexpected text after the end", "assert");
    check("5 < 6", 3, "expected a unit or `*` after the number", "");
    let check = |text: &str, column: usize, message: &str, help: &str| {
        check_error(RunMode::Comparison, &in_assertion(text), (4, 12 + column), message, help);
    };
    check("metric(a.b, f) < 1 & g < 5 ms", 22, "a claim is about times or about metrics", "for each of them");
    check("for all sizes: metric(a.b, f) < 1", 1, "a metric has no sizes and no instances", "leave");
    check("metric(a.b, f) < 1 at 5%", 23, "a claim about metrics has no level", "leave");
    let measured = "metric(a.b, app) < 1";
    let message = "a claim about metrics in a file for `run-mode = measurement`";
    check_error(RunMode::Measurement, measured, (1, 1), message, "run-mode = comparison");
}
