//! Drawings as SVG.

use crate::svg::{Choices, document, element};
use crate::{Arrow, Block, Picture};

fn picture(text: &str) -> Picture {
    let block = |is_exit| Block {
        text: vec![text.to_owned(), "line 2".to_owned()],
        title: format!("title {text}"),
        classes: "h3".to_owned(),
        attributes: vec![("data-n", text.to_owned())],
        link: Some("#\"<".to_owned()),
        is_double: is_exit,
        is_exit,
    };
    let arrow = |from, to, is_dashed| Arrow {
        from,
        to,
        is_dashed,
        label: text.to_owned(),
        title: text.to_owned(),
        attributes: Vec::new(),
        thickness: 15,
    };
    Picture {
        blocks: vec![block(false), block(false), block(true)],
        arrows: vec![
            arrow(0, 1, false),
            arrow(1, 0, false),
            arrow(0, 2, true),
            arrow(1, 2, false),
            arrow(1, 1, true),
        ],
    }
}

/// Whether all elements are closed in their order, and all attributes are in quotes.
fn is_well_formed(text: &str) -> bool {
    let mut open = Vec::new();
    for tag in text.split('<').skip(1) {
        let Some((tag, after)) = tag.split_once('>') else { return false };
        if after.contains('>') || tag.matches('"').count() % 2 != 0 {
            return false;
        }
        let name = tag.split([' ', '/']).next().unwrap_or_default();
        match tag.strip_prefix('/') {
            Some(closed) if open.pop() != Some(closed.to_owned()) => return false,
            None if !tag.ends_with('/') && !tag.starts_with('?') => open.push(name.to_owned()),
            _ => {}
        }
    }
    open.is_empty()
}

#[test]
fn hostile_text_stays_text() {
    let hostile = "</svg><script>alert('x')</script> \"& \u{0}\u{1b}[31m\u{ffff}\n\u{85}end";
    let name = "name <b>".to_owned();
    let text = document(&[(name, picture(hostile))], Choices::default()).unwrap();
    assert!(is_well_formed(&text), "{text}");
    assert!(!text.contains("<script") && !text.contains("'x'"), "{text}");
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text}");
    assert!(text.contains("&lt;/svg&gt;&lt;script&gt;alert(&#39;x&#39;)"), "{text}");
    let both = Choices { has_both: true, ..Choices::default() };
    let inline = element(&picture(hostile), both, "m1", hostile).unwrap();
    assert!(is_well_formed(&inline) && !inline.contains("<script"), "{inline}");
}

#[test]
fn a_document_has_its_pictures_below_each_other() {
    let two = [("first".to_owned(), picture("a")), ("second".to_owned(), picture("b"))];
    let text = document(&two, Choices::default()).unwrap();
    assert!(is_well_formed(&text));
    assert!(text.find(">first<").unwrap() < text.find(">second<").unwrap());
    assert_eq!(text.matches("class=\"in\"").count(), 2, "double borders");
    assert_eq!(text.matches("class=\"e x\"").count(), 4, "dashed edges");
    assert_eq!(text, document(&two, Choices::default()).unwrap());
}

#[test]
fn lines_are_straight_or_curved() {
    let drawn = |is_straight, is_flipped| {
        element(&picture("a"), Choices { is_straight, is_flipped, has_both: false }, "m", "graph").unwrap()
    };
    let lines = |text: &str| {
        text.split(" d=\"").skip(3).map(|part| part.split_once('"').unwrap().0.to_owned()).collect::<String>()
    };
    assert!(
        lines(&drawn(false, false)).contains(['C', 'Q']) && lines(&drawn(false, true)).contains(['C', 'Q'])
    );
    assert!(
        !lines(&drawn(true, false)).contains(['C', 'Q']) && !lines(&drawn(true, true)).contains(['C', 'Q'])
    );
}

#[test]
fn an_arrow_without_a_box_is_refused() {
    let mut broken = picture("a");
    broken.arrows[0].to = 7;
    assert!(document(&[(String::new(), broken)], Choices::default()).is_err());
}
