//! Specifications of events: what they mean, what is said of them, and that a printed one means the same.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use spl_analysis::sj::{self, COMMON, Declaration, EVENTS, Event, Interest, Setting, Tree};
use spl_lang::ast::Node;
use spl_lang::{Diagnostic, Span};
use std::fmt::Write;

/// Everything about a specification, as text.
fn told(name: &str, text: &str) -> String {
    let mut out = String::new();
    let mut say = |found: &[Diagnostic]| {
        found.iter().for_each(|one| writeln!(out, "{}\n", one.render(name, text)).unwrap());
    };
    let expansion =
        sj::parse(text).and_then(|tree| sj::expand(text, &tree)).inspect_err(|errors| say(errors));
    let Ok(expansion) = expansion else { return out };
    say(&expansion.warnings);
    let plan = sj::plan(text, &expansion).inspect_err(|errors| say(errors));
    if let Ok(plan) = &plan {
        say(&plan.warnings);
    }
    write!(out, "{}", expansion.interest).unwrap();
    if let Ok(plan) = plan {
        writeln!(out, "\n{:?}, besides {:?}", plan.kind, plan.besides).unwrap();
    }
    out
}

macro_rules! golden {
    ($($test:ident: $file:literal;)*) => {$(
        #[test]
        fn $test() {
            insta::assert_snapshot!(told($file, include_str!(concat!("sj/", $file))));
        }
    )*};
}

golden! {
    a_file_of_starj_is_read_and_what_is_missing_has_reasons: "classic.sj";
    a_recorded_event_takes_a_trace: "trace.sj";
    counted_events_take_counters: "counts.sj";
    events_of_jvmpi_are_left_out_with_the_reason: "dropped.sj";
    two_drills_are_not_mixed: "two-drills.sj";
    wrong_names_have_near_ones: "wrong-names.sj";
    each_mistake_of_the_text_has_its_place: "wrong-text.sj";
}

fn interest(text: &str) -> Interest {
    sj::expand(text, &sj::parse(text).unwrap()).unwrap().interest
}

#[test]
fn a_default_stands_anywhere_and_says_nothing_that_an_event_says() {
    let event = "event Block { counted: no; block: yes; }";
    let default = "default { counted: yes; recorded: yes; env_id: yes; }";
    let [before, after] =
        [format!("{default} {event}"), format!("{event} {default}")].map(|text| interest(&text));
    assert_eq!(before, after);
    assert_eq!(
        before.to_string(),
        "event Block {\n    recorded: yes;\n    env_id: yes;\n    block: yes;\n}\n"
    );
    // Of several defaults the later one wins, as of several declarations.
    let later = interest("default { *: yes; } event Block { block: yes; } default { *: no; recorded: yes; }");
    assert_eq!(later.to_string(), "event Block {\n    recorded: yes;\n    block: yes;\n}\n");
    assert!(interest(default).is_empty());
}

#[test]
fn a_star_stands_for_digits_too_and_everything_else_for_itself() {
    let named = |pattern: &str| {
        let all = interest(&format!("event {pattern} {{ recorded: yes; }}"));
        all.events().map(|(_, event)| event.name).collect::<Vec<_>>()
    };
    assert_eq!(named("Method*"), ["MethodEntry", "MethodEntry2", "MethodExit"]);
    assert_eq!(named("Method*y"), ["MethodEntry"]);
    assert_eq!(named("*Entry2"), ["MethodEntry2"]);
    let literal = "event Metho.Entry { recorded: yes; }";
    let errors = sj::expand(literal, &sj::parse(literal).unwrap()).unwrap_err();
    assert_eq!(errors[0].to_string(), "1:7: error: there is no event `Metho.Entry`");
}

#[test]
fn words_and_comments_of_every_form_are_read() {
    let text = "\u{feff}event//c\nBlock#c\n{recorded:/* : ; */on;counted:true;env_id:yes;\
                block:off;method_id:no;}event Call{counted:false;}";
    let wanted = "event Block {\n    recorded: yes;\n    counted: yes;\n    env_id: yes;\n}\n";
    assert_eq!(interest(text).to_string(), wanted);
    assert!(interest("").is_empty() && interest("/**/ // end").is_empty());
}

/// The words of *J's grammar, and others.
fn pattern() -> impl Strategy<Value = String> {
    let names: Vec<&str> =
        EVENTS.iter().flat_map(|event| event.all_fields().map(|one| one.name).chain([event.name])).collect();
    prop_oneof![
        4 => proptest::sample::select(names).prop_map(str::to_owned),
        2 => "[A-Z][a-z]{0,3}[*]",
        1 => "[*a-z_0-9.čß-]{1,8}",
        1 => proptest::sample::select(vec!["default", "event", "yes", "*"]).prop_map(str::to_owned),
    ]
}

fn node(value: String) -> Node<String> {
    Node { value, span: Span::default() }
}

fn tree() -> impl Strategy<Value = Tree> {
    let setting =
        (pattern(), any::<bool>()).prop_map(|(name, is_wanted)| Setting { fields: node(name), is_wanted });
    let declaration = (proptest::option::weighted(0.8, pattern()), proptest::collection::vec(setting, 0..5));
    let declaration =
        declaration.prop_map(|(events, settings)| Declaration { events: events.map(node), settings });
    proptest::collection::vec(declaration, 0..5).prop_map(|declarations| Tree { declarations })
}

/// Any masks of events that a JVM of today has.
fn any_interest() -> impl Strategy<Value = Interest> {
    proptest::collection::vec(any::<u32>(), EVENTS.len()).prop_map(|masks| {
        let mut interest = Interest::default();
        for ((number, event), mask) in EVENTS.iter().enumerate().zip(masks) {
            let is_wanted = !event.is_dropped && mask & 3 != 0;
            (0..event.all_fields().count())
                .for_each(|field| interest.set(number, field, is_wanted && mask & 1 << field != 0));
        }
        interest
    })
}

proptest! {
    #[test]
    fn a_printed_tree_is_read_as_the_same(tree in tree()) {
        let text = tree.to_string();
        let again = sj::parse(&text).unwrap();
        prop_assert_eq!(&again, &tree, "{}", text);
        prop_assert_eq!(again.to_string(), text);
    }

    #[test]
    fn a_printed_expansion_means_the_same(wanted in any_interest()) {
        prop_assert_eq!(interest(&wanted.to_string()), wanted);
    }

    #[test]
    fn an_expansion_means_what_the_rules_say(tree in tree()) {
        let text = tree.to_string();
        let Ok(expansion) = sj::expand(&text, &sj::parse(&text).unwrap()) else { return Ok(()) };
        for (number, event) in EVENTS.iter().enumerate() {
            let is_told = ["recorded", "counted"].iter().any(|field| by_the_rules(&tree, event, field));
            for (field, one) in event.all_fields().enumerate() {
                let wanted = !event.is_dropped && is_told && by_the_rules(&tree, event, one.name);
                prop_assert_eq!(expansion.interest.has(number, field), wanted, "{} {}: {}", event.name, one.name, text);
            }
        }
    }
}

/// The rules as a second program would have them: the last word on the field, of a declaration or else of a default.
fn by_the_rules(tree: &Tree, event: &Event, field: &str) -> bool {
    let is_like = |pattern: &str, name: &str| {
        like(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
    };
    let named: Vec<&Declaration> = tree
        .declarations
        .iter()
        .filter(|one| one.events.as_ref().is_some_and(|pattern| is_like(&pattern.value, event.name)))
        .collect();
    let last = |declarations: &mut dyn DoubleEndedIterator<Item = &Declaration>| {
        let settings =
            declarations.flat_map(|one| &one.settings).filter(|one| is_like(&one.fields.value, field));
        settings.last().map(|one| one.is_wanted)
    };
    let said = last(&mut named.iter().copied());
    let by_default = last(&mut tree.declarations.iter().filter(|one| one.events.is_none()));
    !named.is_empty() && said.or(by_default).unwrap_or(false)
}

fn like(pattern: &[char], name: &[char]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (Some(('*', rest)), _) => {
            like(rest, name) || name.split_first().is_some_and(|(_, more)| like(pattern, more))
        }
        (Some((wanted, rest)), Some((found, more))) => wanted == found && like(rest, more),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// The page of events has the table that the code has.
#[test]
fn the_page_has_each_event_in_the_order_of_the_table() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/events.md")).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    let expected: Vec<String> = EVENTS.iter().map(row).collect();
    assert!(rows == expected, "docs/events.md should have:\n{}", expected.join("\n"));
    COMMON.iter().for_each(|field| assert!(page.contains(&format!("`{}`", field.name))));
}

fn row(event: &Event) -> String {
    let by = |told: sj::Told| match told {
        sj::Told::Always => "every drill",
        sj::Told::Blocks => "`blocks`",
        sj::Told::Calls => "`calls`",
        sj::Told::Trace => "`trace`",
        sj::Told::No(_) if event.is_dropped => "left out",
        sj::Told::No(_) => "no drill",
    };
    let field = |one: &sj::Field| match (one.recorded, one.counted) {
        (sj::Told::No(_), sj::Told::No(_)) => format!("({})", one.name),
        (_, sj::Told::Calls) => format!("{} (`calls`)", one.name),
        _ => one.name.to_owned(),
    };
    let fields: Vec<String> = event.fields.iter().map(field).collect();
    let why = match event.recorded {
        sj::Told::No(why) => format!(" Not told: {why}."),
        sj::Told::Always | sj::Told::Blocks | sj::Told::Calls | sj::Told::Trace => String::new(),
    };
    format!(
        "| `{}` | {}{why} | {} | {} | {} |",
        event.name,
        event.text,
        fields.join(", "),
        by(event.recorded),
        by(event.counted)
    )
}
