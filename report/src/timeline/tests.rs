//! The page of made-up calls.

use super::*;
use quick_xml::events::Event;

const EVIL: &str = "<script>alert(1)</script>&\"'\u{202e}";

fn facts() -> TimelineFacts {
    let shown = |level, begin, took, own| TimedBox {
        level,
        method: EVIL.to_owned(),
        begin,
        took,
        has_end: own != Some(7),
        own,
        is_thrown: level == 1,
    };
    let call = TimedCall {
        number: 5,
        thread: 23,
        method: EVIL.to_owned(),
        begin: Some(1_000),
        took: (52_000_000, Some(52_000_000)),
        within: 7,
        bytecodes: 900,
        is_whole: true,
        ended: "returned",
        boxes: vec![
            shown(0, 0, 52_000_000, Some(1_000_000)),
            shown(1, 1_000_000, 50_000_000, None),
            shown(1, 51_000_000, 1_000_000, Some(7)),
        ],
        groups: vec![TimedGroup { level: 1, span: (0, 1_000_000), count: 41 }],
        left_out: 3,
        unknown: 2,
    };
    let lesser = TimedCall {
        number: 6,
        took: (0, Some(9)),
        begin: None,
        boxes: Vec::new(),
        is_whole: false,
        ..call.clone()
    };
    let (spl, folder) = ("1".to_owned(), EVIL.to_owned());
    TimelineFacts { spl, folder, all: (2, 1), doubts: vec![EVIL.to_owned()], calls: vec![call, lesser] }
}

#[test]
fn the_page_is_well_formed_and_asks_for_nothing() {
    let page = page(&facts());
    let body = page.strip_prefix("<!DOCTYPE html>").unwrap();
    // Void elements of the head are all that is not XML.
    let meta = body.matches("<meta ").count();
    let closed: String = body
        .split("<meta ")
        .enumerate()
        .map(|(place, part)| match place {
            0 => part.to_owned(),
            _ => format!("<meta {}", part.replacen('>', "/>", 1)),
        })
        .collect();
    assert_eq!(meta, 5);
    let mut reader = quick_xml::Reader::from_str(&closed);
    reader.config_mut().check_end_names = true;
    let (mut open, mut boxes) = (0_i32, 0);
    loop {
        let event = reader.read_event().unwrap();
        if let Event::Start(start) = &event {
            open += 1;
            boxes += i32::from(start.name().as_ref() == "rect");
        }
        open -= i32::from(matches!(event, Event::End(_)));
        if matches!(event, Event::Eof) {
            break;
        }
    }
    assert_eq!((open, boxes), (0, 4));
    assert!(!page.contains("<script") && !page.contains("\u{202e}"), "{page}");
    for outside in ["src=", "http:", "https:", "@import", "url(h", "<link"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn figures_and_what_is_missing_are_said() {
    let page = crate::figure::plain(&page(&facts()));
    for said in [
        "52.0 ms, 1.00 ms of its own",
        "50.0 ms, its own time is not known; an exception left it",
        "at least, since its end is not known",
        "41 calls narrower than a pixel",
        "3 calls are left out",
        "Of 2 calls it is not known when they began",
        "at most 9 ns",
        "Of 1 it is not known how long",
        "href=\"#t23c5\"",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
}
