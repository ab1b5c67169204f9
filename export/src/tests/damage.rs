//! Damaged files.

use super::read;
use crate::testing::Written;
use crate::{
    Calls, Document, Fault, Jacoco, Jbinstrace, callgrind, calls_dot, calls_text, csv, each_class, graphml,
    speedscope,
};
use proptest::prelude::*;
use std::sync::LazyLock;

/// A small class with loops and conditions.
const NAME: &str = "java/util/StringJoiner";

static DRILL: LazyLock<Written> = LazyLock::new(|| Written::of(&[NAME], u64::from));

/// All forms of a drill, as far as its files can be read.
fn exported(drill: &Written) -> Result<(), Fault> {
    let document = Document::read(&drill.files[0])?;
    csv(&document, &drill.tables())?;
    let (mut jacoco, mut jbinstrace) = (Jacoco::default(), Jbinstrace::default());
    each_class(
        &document,
        &drill.tables(),
        |class| Ok(drill.bytes(class)),
        |class| {
            jbinstrace.add(&class)?;
            jacoco.add(class)
        },
    )?;
    let mut calls = Calls::of(&document)?;
    each_class(&document, &drill.tables(), |class| Ok(drill.bytes(class)), |class| calls.add(class))?;
    let graph = calls.graph();
    assert!(callgrind(&graph, &document.command).ends_with(&format!("totals: {}\n", graph.all)));
    assert!(speedscope(&graph, &document.command).text.ends_with("]}]}\n"));
    assert!(graphml(&graph).ends_with("</graphml>\n") && calls_dot(&graph).ends_with("}\n"));
    assert!(calls_text(&graph).ends_with('\n'));
    assert!(jacoco.document(&document.command).ends_with("</report>\n"));
    assert!(jbinstrace.document().ends_with("</jbinstrace>\n"));
    Ok(())
}

#[test]
fn a_file_that_was_cut_off_is_refused_wherever_it_was() {
    assert_eq!(exported(&DRILL), Ok(()));
    for file in 0..4 {
        let whole = &DRILL.files[file];
        // Each place in a line of the middle, and each end of a line: a whole line less must not pass either.
        let middle = whole.len() / 2..whole.len() / 2 + 80;
        let ends = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(place, _)| place + 1);
        for cut in middle.chain(ends).filter(|cut| *cut < whole.len()) {
            let mut drill = DRILL.clone();
            drill.files[file].truncate(cut);
            let fault = read(&drill).expect_err("something is missing");
            let said = fault.to_string();
            assert!(!fault.place.is_empty() && said.contains("run `spl drill` again"), "{said}");
        }
    }
}

#[test]
fn tables_of_another_drill_are_refused() {
    let other = Written::of(&["java/util/Optional"], u64::from);
    for file in 0..4 {
        let mut drill = DRILL.clone();
        drill.files[file].clone_from(&other.files[file]);
        assert!(read(&drill).is_err(), "file {file}");
    }
    // The rows of one class with the class file of another.
    let mut drill = DRILL.clone();
    let [own, others] = [&DRILL, &other].map(|drill| drill.document().classes[0].sha256.clone());
    let text = String::from_utf8(drill.files[0].clone()).unwrap().replace(&own, &others);
    drill.files[0] = text.into_bytes();
    drill.classes.clone_from(&other.classes);
    let fault = read(&drill).unwrap_err();
    assert!(
        fault.place == "classes.zip" && fault.reason.contains("it has no java/util/StringJoiner."),
        "{fault}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn no_damage_makes_a_panic(
        file in 0_usize..5,
        places in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let mut drill = DRILL.clone();
        let bytes = if file < 4 { &mut drill.files[file] } else { &mut drill.classes[0] };
        for (place, byte) in &places {
            let place = place.index(bytes.len());
            bytes[place] = *byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if file == 4 {
            // The archive's reader refuses other bytes; here they are taken for the class's.
            let bytes = drill.classes[0].clone();
            let document = drill.document();
            let mut jacoco = Jacoco::default();
            let done = each_class(&document, &drill.tables(), |_| Ok(bytes.clone()), |class| jacoco.add(class));
            prop_assert!(done.is_ok() || !done.unwrap_err().reason.is_empty());
        } else if let Err(fault) = exported(&drill) {
            prop_assert!(!fault.reason.is_empty());
        }
    }
}
