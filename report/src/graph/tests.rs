//! Hashes of styles and scripts, and graphs with figures of a call.

use super::heat::{largest, picture, runs};
use super::*;
use spl_draw::{Arrow, Block, Picture};

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base 64 (RFC 4648) of a digest.
fn encoded(bytes: &[u8]) -> String {
    let group = |three: &[u8]| {
        let all = three.iter().chain(&[0, 0]).take(3).fold(0_u32, |all, byte| all << 8 | u32::from(*byte));
        let digit = move |place: usize| char::from(BASE64[(all >> (18 - 6 * place)) as usize & 63]);
        let count = three.len() + 1;
        (0..4).map(move |place| if place < count { digit(place) } else { '=' }).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

#[test]
fn policies_have_the_hashes_of_styles_and_scripts() {
    let all = [
        ("the graphs' style", STYLE, STYLE_HASH),
        ("the graphs' script", SCRIPT, SCRIPT_HASH),
        ("the style of drills", crate::drill::STYLE, crate::drill::STYLE_HASH),
        ("the script of paths", crate::drill::SCRIPT, crate::drill::SCRIPT_HASH),
        ("the style of pages of runs", crate::runs::STYLE, crate::runs::STYLE_HASH),
        ("the script that lets browsers in", crate::runs::DOOR, crate::runs::DOOR_HASH),
        ("the script of the editor", crate::runs::EDITOR, crate::runs::EDITOR_HASH),
        ("the style of reports", crate::page::STYLE, crate::page::STYLE_HASH),
        ("the script of reports", crate::page::SCRIPT, crate::page::SCRIPT_HASH),
    ];
    let wrong = all.into_iter().filter_map(|(name, text, known)| {
        let hash = format!("'sha256-{}'", encoded(&spl_wire::digest(text.as_bytes())));
        (hash != known).then(|| format!("{name} has {hash}, not {known}"))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<String>::new());
}

/// Two blocks, of which the second ran this number of times in 50 calls of the root.
fn of_fifty(second: u64) -> Counted {
    let block = Block { text: vec!["block".to_owned()], ..Block::default() };
    let counts = |count| BlockCounts { count, ..BlockCounts::default() };
    Counted {
        unit: Unit::PerCall(50.0),
        picture: Picture {
            blocks: vec![block.clone(), block],
            arrows: vec![Arrow { to: 1, ..Arrow::default() }],
        },
        blocks: vec![counts(50), counts(second)],
        edges: vec![Some(second)],
        marked: vec![1],
        ..Counted::default()
    }
}

#[test]
fn figures_of_a_call_are_counts_divided_by_the_calls_of_the_root() {
    let unit = Unit::PerCall(50.0);
    let words = [0, 5, 50, 150, 180_000].map(|count| runs(count, unit));
    let expected =
        ["never run", "0.1 times a call", "once a call", "3 times a call", "3\u{202f}600 times a call"];
    assert_eq!(words, expected);
    let method = of_fifty(180_000);
    let drawn = picture(&method, "x", largest(&method));
    assert_eq!(drawn.blocks[0].text, ["block", "once a call"]);
    assert_eq!(drawn.blocks[1].text, ["the cause:", "block", "3\u{202f}600 times a call"]);
    assert_eq!(drawn.arrows[0].label, "3\u{202f}600");
    assert!(drawn.blocks[1].classes.contains("cause") && !drawn.blocks[0].classes.contains("cause"));
    // The slider never hides the cause.
    assert!(drawn.blocks[1].attributes.contains(&("data-keep", "1".to_owned())));
}

#[test]
fn both_sides_have_one_scale() {
    let (slow, quick) = (of_fifty(180_000), of_fifty(60));
    let classes = |method, largest| picture(method, "x", largest).blocks[1].classes.clone();
    assert_eq!(classes(&slow, largest(&slow)), "h7 cause");
    assert_eq!(classes(&quick, largest(&quick)), "h7 cause", "by itself");
    assert_eq!(classes(&quick, largest(&slow)), "h3 cause", "next to the slow one");
}
