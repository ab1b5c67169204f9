//! The manual of the language and its parser agree.

mod grammar;

use grammar::{Expr, Grammar, Maker};
use spl_lang::{RunMode, Severity, format, parse_file};
use std::collections::BTreeSet;

const MANUAL: &str = include_str!("../../docs/language.md");

/// The contents of every fenced block with this info string.
fn blocks(info: &str) -> Vec<&'static str> {
    let open = format!("```{info}\n");
    MANUAL.split(&open).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

fn productions() -> Grammar {
    let text = blocks("ebnf");
    assert_eq!(text.len(), 1);
    grammar::read(text[0])
}

/// Cases of the manual's list "What the grammar allows is still an error when", in the parser's words.
const BEYOND_THE_GRAMMAR: [&str; 19] = [
    "the file has no task",
    "no method is called",
    "is given twice",
    "two sets of methods stand in one claim",
    "must be greater than 0",
    "must be a finite number",
    "a percentile lies between 0 and 100",
    "must be less than 100%",
    "two bounds are compared",
    "factors in parentheses stand between two methods without factors",
    "a tolerance needs the sign `=`",
    "no size lies in this interval",
    "the size is too large",
    "quantifiers don't nest",
    "a claim is about times or about metrics",
    "a metric has no sizes and no instances",
    "a claim about metrics has no level",
    "expected a unit or `*` after the number",
    "the formula is nested too deeply",
];

#[test]
fn every_example_parses() {
    for (info, mode) in
        [("tasks comparison", RunMode::Comparison), ("tasks measurement", RunMode::Measurement)]
    {
        let blocks = blocks(info);
        assert!(!blocks.is_empty());
        for text in blocks {
            let file =
                parse_file(text, mode).unwrap_or_else(|errors| panic!("{}", errors[0].render(info, text)));
            assert_eq!(file.warnings, [], "{text}");
        }
    }
}

#[test]
fn the_wrong_example_has_the_errors_that_are_shown() {
    let (wrong, shown) = (blocks("tasks wrong")[0], blocks("text")[0]);
    let errors = parse_file(wrong, RunMode::Comparison).unwrap_err();
    let rendered: Vec<String> = errors.iter().map(|error| error.render("instr.tasks", wrong)).collect();
    assert_eq!(rendered.join("\n\n"), shown.trim_end());
}

#[test]
fn every_production_is_defined_and_explained() {
    let productions = productions();
    let mut named = BTreeSet::from(["file".to_owned()]);
    productions.values().for_each(|expr| grammar::named(expr, &mut named));
    assert_eq!(productions.keys().cloned().collect::<BTreeSet<_>>(), named);
    let prose = MANUAL.split("## Grammar").next().unwrap();
    for name in &named {
        let explained = [format!("*{name}*"), format!("*{name}s*")].iter().any(|text| prose.contains(text));
        assert!(explained, "the manual's text does not speak of *{name}*");
    }
}

/// Sentences made from the grammar are readable, and every production occurs in one.
#[test]
fn what_the_grammar_allows_is_read() {
    let productions = productions();
    let mut read = BTreeSet::new();
    let mut beyond = BTreeSet::new();
    for mode in [RunMode::Comparison, RunMode::Measurement] {
        let (given, starts) = match mode {
            RunMode::Comparison => (
                "let f = a/B.f()V
let g = p.C#g
let h = f
",
                ["file", "line", "assertion", "assertion"],
            ),
            RunMode::Measurement => ("", ["file", "line", "measurement", "measurement"]),
        };
        for seed in 1..4000_u64 {
            let random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let mut maker =
                Maker { grammar: &productions, mode, random, comparison: 0, used: BTreeSet::new() };
            let text = format!("{given}{}", maker.make(starts[seed as usize % starts.len()], 0));
            let Err(errors) = parse_file(&text, mode) else {
                read.append(&mut maker.used);
                continue;
            };
            for error in errors.iter().filter(|error| error.severity == Severity::Error) {
                let condition =
                    BEYOND_THE_GRAMMAR.iter().find(|condition| error.message.contains(*condition));
                assert!(condition.is_some(), "{}", error.render("made.tasks", &text));
                beyond.extend(condition);
            }
        }
    }
    assert_eq!(read, productions.keys().cloned().collect(), "productions in sentences that were read");
    // Formulas of that depth are not made.
    beyond.insert(&"the formula is nested too deeply");
    assert_eq!(beyond, BEYOND_THE_GRAMMAR.iter().collect(), "conditions that were met");
}

#[test]
fn formatted_sentences_say_the_same() {
    let productions = productions();
    for mode in [RunMode::Comparison, RunMode::Measurement] {
        let mut formatted_files = 0;
        for seed in 1..1000_u64 {
            let random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let mut maker =
                Maker { grammar: &productions, mode, random, comparison: 0, used: BTreeSet::new() };
            let given = if mode == RunMode::Comparison { "let f=a/B.f()V\nlet g=f\nlet h=g\n" } else { "" };
            let text = format!("{given}{}{}", maker.make("line", 0), maker.make("line", 0));
            let Ok(file) = parse_file(&text, mode) else { continue };
            let formatted = format(&text, mode).unwrap();
            assert_eq!(parse_file(&formatted, mode).unwrap().statements, file.statements, "{text}");
            assert_eq!(format(&formatted, mode).unwrap(), formatted, "formatted again");
            let comments = |text: &str| text.matches("why").count();
            assert_eq!(comments(&formatted), comments(&text));
            formatted_files += 1;
        }
        assert!(formatted_files > 50, "{formatted_files}");
    }
}

#[test]
fn signs_and_words_are_those_of_the_manual() {
    let Some(Expr::Choice(signs)) = productions().get("sign").cloned() else { panic!("no signs") };
    let signs: Vec<String> = signs.iter().map(|one| format!("{one:?}")).collect();
    assert_eq!(signs, spl_lang::Sign::ALL.map(|sign| format!("{:?}", Expr::Literal(sign.to_string()))));
    let sentence = MANUAL
        .split("The words of the language are ")
        .nth(1)
        .and_then(|rest| rest.split('.').next())
        .unwrap();
    let words: Vec<&str> = sentence.split('`').skip(1).step_by(2).collect();
    assert_eq!(words.len(), 13);
    for word in words {
        let errors = parse_file(&format!("let {word} = a/B.f()V\n"), RunMode::Comparison).unwrap_err();
        assert_eq!(errors[0].message, "expected a name", "{word}");
    }
}
