//! The formatter changes the layout of a file, but neither its meaning nor its comments.

use spl_lang::{RunMode, format};

fn check(mode: RunMode, text: &str, expected: &str) {
    assert_eq!(format(text, mode).as_deref(), Ok(expected), "{text}");
    assert_eq!(format(expected, mode).as_deref(), Ok(expected), "formatted again");
}

#[test]
fn each_statement_has_one_form() {
    let check = |text: &str, expected: &str| check(RunMode::Comparison, text, expected);
    check("", "");
    check("\u{feff}\r\n  # only a comment \r\n\r\n", "# only a comment\n");
    check("#a\n\n\n \n#b\n#c", "#a\n\n#b\n#c\n");
    check("let  f=a/B.f()V,p.P\t#x", "let f = a/B.f()V, p.P  #x\n");
    check(
        "assert\"t # u\":((f<g)&!(g<h))==>p99( f )=h within 5.0 % at 1%\t#x",
        "assert \"t # u\": f < g & ! g < h => p99(f) = h within 5% at 1%  #x\n",
    );
    check("f<2e0*p.C::new( Map<K,V>, int... )", "f < 2 * p.C#<init>(Map, int[])\n");
}

#[test]
fn lines_that_cannot_be_read_are_reported() {
    let errors = format("a/B.f()V =< g\n\nf < # g\n", RunMode::Comparison).unwrap_err();
    let got: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(got, ["1:10: error: `=<` is not a comparison sign", "3:4: error: expected a method"]);
}
