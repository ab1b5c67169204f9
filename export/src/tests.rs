//! The files of a drill are read as they were written, and damaged ones are refused.

mod calls;
mod damage;
mod jacoco;

use crate::testing::Written;
use crate::{Counts, Fault, csv, each_class};
use spl_classfile::mutf8;

const NAMES: [&str; 2] = ["java/util/Formatter", "java/util/BitSet"];

/// Each method's name with its counts.
fn read(drill: &Written) -> Result<Vec<(String, Counts)>, Fault> {
    let mut all = Vec::new();
    each_class(
        &crate::Document::read(&drill.files[0])?,
        &drill.tables(),
        |class| Ok(drill.bytes(class)),
        |class| {
            for method in class.methods {
                all.push((mutf8::decode(method.method.name), method.counts));
            }
            Ok(())
        },
    )?;
    Ok(all)
}

#[test]
fn what_a_drill_writes_is_read() {
    // Everything ran, with counts that differ.
    let drill = Written::of(&NAMES, u64::from);
    let all = read(&drill).unwrap();
    let rows = |file: usize| drill.files[file].iter().filter(|byte| **byte == b'\n').count() - 1;
    assert_eq!(all.len(), rows(1));
    assert_eq!(all.iter().map(|(_, counts)| counts.blocks.len()).sum::<usize>(), rows(2));
    assert_eq!(all.iter().map(|(_, counts)| counts.edges.len()).sum::<usize>(), rows(3));
    let sum = |column: &str, of: fn(&Counts) -> u64, file: usize| {
        let text = String::from_utf8(drill.files[file].clone()).unwrap();
        let mut lines = text.lines();
        let place = lines.next().unwrap().split(',').rev().position(|head| head == column).unwrap();
        // From the end, because names of methods may have commas.
        let fields = lines.map(|line| line.split(',').rev().nth(place).unwrap().parse().unwrap_or(0));
        assert_eq!(
            fields.fold(0_u64, u64::wrapping_add),
            all.iter().fold(0_u64, |sum, (_, one)| sum.wrapping_add(of(one)))
        );
    };
    sum("count", |counts| counts.blocks.iter().fold(0, |sum, one| sum.wrapping_add(*one)), 2);
    sum("gone", |counts| counts.gone.iter().flatten().fold(0, |sum, one| sum.wrapping_add(*one)), 2);
    sum("count", |counts| counts.edges.iter().fold(0, |sum, one| sum.wrapping_add(*one)), 3);
}

#[test]
fn the_table_has_a_line_for_each_block_and_shares_that_make_one() {
    let drill = Written::of(&NAMES, u64::from);
    let table = csv(&drill.document(), &drill.tables()).unwrap();
    let mut lines = table.lines();
    let heads: Vec<_> = lines.next().unwrap().split(',').collect();
    assert_eq!((heads[0], heads.last()), ("class", Some(&"share")));
    let shares: Vec<f64> = lines.map(|line| line.rsplit(',').next().unwrap().parse().unwrap()).collect();
    assert_eq!(shares.len(), drill.files[2].iter().filter(|byte| **byte == b'\n').count() - 1);
    assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-6);
    assert!(table.contains("java/util/BitSet,nextSetBit,(I)I,"));
    // Nothing ran: each share is 0.
    let drill = Written::of(&NAMES[1..], |_| 0);
    let table = csv(&drill.document(), &drill.tables()).unwrap();
    assert!(table.lines().skip(1).all(|line| line.ends_with(",0,0,0,0.000000000")), "{table}");
}

#[test]
fn a_class_that_could_not_be_read_to_its_end_is_named_among_the_others() {
    let drill = Written::of(&NAMES, u64::from);
    let text = |file: usize| String::from_utf8(drill.files[file].clone()).unwrap();
    // As where class file and counters of the first class do not belong together from its second method on.
    let kept = |file: usize, lines: usize| {
        let all = text(file);
        let (head, rest) = all.split_once('\n').unwrap();
        let second = rest.lines().filter(|line| line.contains("java/util/BitSet."));
        let first = rest.lines().take(lines);
        let all: Vec<_> = [head].into_iter().chain(first).chain(second).collect();
        (all.join("\n") + "\n").into_bytes()
    };
    let method = text(1).lines().nth(1).unwrap().split_once(',').unwrap().0.to_owned() + ",";
    let of = |file: usize| text(file).lines().filter(|line| line.starts_with(&method)).count();
    let cut = |left: &str| {
        let mut files = drill.clone();
        files.files = [
            text(0).replace("\"left\": []", &format!("\"left\": [{left}]")).into_bytes(),
            kept(1, 1),
            kept(2, of(2)),
            kept(3, of(3)),
        ];
        files
    };
    let named = cut(r#"{"name": "java/util/Formatter", "why": "it cannot be read"}"#);
    assert!(csv(&named.document(), &named.tables()).unwrap().contains("java/util/BitSet,clone,"));
    let silent = cut("");
    let fault = csv(&silent.document(), &silent.tables()).unwrap_err();
    assert!(fault.place.starts_with("methods.csv:") && fault.reason.contains("1 methods here"), "{fault}");
}
