//! The XML of JaCoCo. The coverage oracle compares the counters of real programs with those of JaCoCo itself.

use super::NAMES;
use crate::testing::{Written, instructions};
use crate::{Jacoco, each_class};
use spl_model::DrillKind;

/// The document of a drill, and the classes of which there are several.
fn document(drill: &Written) -> (String, Vec<String>) {
    let mut jacoco = Jacoco::default();
    let (read, tables) = (drill.document(), drill.tables());
    each_class(&read, &tables, |class| Ok(drill.bytes(class)), |class| jacoco.add(class)).unwrap();
    let ambiguous = jacoco.ambiguous().map(str::to_owned).collect();
    (jacoco.document(&read.command), ambiguous)
}

/// Missed and covered of the last counter of a kind, which is that of the whole document.
fn total(xml: &str, kind: &str) -> (u64, u64) {
    let line = xml.lines().rev().find(|line| line.contains(&format!("type=\"{kind}\""))).unwrap();
    let mut numbers = line.split('"').filter_map(|part| part.parse().ok());
    (numbers.next().unwrap(), numbers.next().unwrap())
}

#[test]
fn every_instruction_is_counted_once() {
    let never = Written::of(&NAMES, |_| 0);
    let all = never.classes.iter().map(|bytes| instructions(bytes)).sum::<u64>();
    let (xml, _) = document(&never);
    assert_eq!(total(&xml, "INSTRUCTION"), (all, 0));
    assert_eq!(total(&xml, "CLASS"), (2, 0));
    assert!(xml.contains("<report name=\"Main &lt;args&gt;\">"));
    assert!(xml.contains("<class name=\"java/util/BitSet\" sourcefilename=\"BitSet.java\">"));
    // Each counter has counted something.
    let (xml, _) = document(&Written::of(&NAMES, |_| 1));
    let (missed, covered) = total(&xml, "INSTRUCTION");
    assert_eq!(missed + covered, all);
    assert!(covered > missed, "{missed} {covered}");
    assert_eq!((total(&xml, "CLASS"), total(&xml, "METHOD").0), ((0, 2), 0));
    let lines = |attribute: &str| -> u64 {
        let of_line = |line: &str| line.split_once(attribute)?.1.split('"').nth(1)?.parse::<u64>().ok();
        xml.lines().filter(|line| line.contains("<line ")).filter_map(of_line).sum()
    };
    assert_eq!((lines(" mi="), lines(" ci=")), (missed, covered));
    assert_eq!((lines(" mb="), lines(" cb=")), total(&xml, "BRANCH"));
}

#[test]
fn a_class_of_two_loaders_ran_where_one_of_them_ran_it() {
    let name = NAMES[1];
    let once = document(&Written::of(&[name], u64::from)).0;
    let twice = Written::of(&[name, name], u64::from);
    let (xml, ambiguous) = document(&twice);
    assert_eq!((xml, ambiguous), (once, Vec::new()));
    // Another class file under the name.
    let mut drill = Written::of(&[name, name], u64::from);
    let bytes = &mut drill.classes[1];
    // Class-file versions 53 and later are the same for a class without the newest attributes.
    bytes[7] -= 1;
    let digests: Vec<_> = drill.classes.iter().map(|bytes| crate::testing::digest(bytes)).collect();
    let text = String::from_utf8(drill.files[0].clone()).unwrap();
    let (first, second) = text.rsplit_once(&format!("{:064x}", digests[0])).unwrap();
    drill.files[0] = format!("{first}{:064x}{second}", digests[1]).into_bytes();
    let (xml, ambiguous) = document(&drill);
    assert_eq!((total(&xml, "CLASS"), ambiguous), ((0, 2), vec![name.to_owned()]));
}

#[test]
fn flags_tell_what_was_run() {
    // All flags are set; dead code has none.
    let name = &NAMES[1..];
    let [counted, flagged] = [DrillKind::Blocks, DrillKind::Cover].map(|what| {
        let all = Written::with(what, name, |_| 1);
        document(&all).0
    });
    let instructions = |xml: &str| total(xml, "INSTRUCTION");
    let (counted, flagged) = (instructions(&counted), instructions(&flagged));
    assert_eq!(counted.0 + counted.1, flagged.0 + flagged.1);
    assert_eq!(flagged.0, 0, "each flag is set");
    let never = Written::with(DrillKind::Cover, name, |_| 0);
    assert_eq!(total(&document(&never).0, "INSTRUCTION"), (flagged.1, 0));
    let xml = {
        let mut all = crate::Jbinstrace::default();
        let add = |class: crate::Class<'_>| all.add(&class);
        each_class(&never.document(), &never.tables(), |class| Ok(never.bytes(class)), add).unwrap();
        all.document()
    };
    assert!(
        xml.contains(" count=\"0\"") && !xml.contains(" gone=\"1\""),
        "nothing was run, nothing was left"
    );
}
