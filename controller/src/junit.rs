//! Results as JUnit XML, which build servers show as tests: each claim is a test case (`docs/files.md`).

use crate::claims::{Claim, NO_RESULT, claims};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use spl_model::one_line;
use spl_session::files::write_whole;
use spl_session::results::Results;
use spl_session::setup::Setup;
use spl_verdict::Standing;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

/// Name of the suite, for servers that show several.
const SUITE: &str = "spl";

/// Writes the claims of a measurement, and its problems.
///
/// # Errors
/// When the file cannot be written; one line of text.
pub fn write(path: &Path, setup: &Setup, results: &Results, problems: &[String]) -> Result<(), String> {
    write_claims(path, &claims(setup, results), problems)
}

/// Writes these claims, and problems.
///
/// # Errors
/// When the file cannot be written; one line of text.
pub fn write_claims(path: &Path, claims: &[Claim], problems: &[String]) -> Result<(), String> {
    let cannot = |error: io::Error| format!("cannot write {}: {error}", path.display());
    let text = document(claims, problems).map_err(cannot)?;
    write_whole(path, &text).map_err(cannot)
}

fn document(claims: &[Claim], problems: &[String]) -> io::Result<Vec<u8>> {
    let count = |wanted| claims.iter().filter(|claim| outcome(claim) == wanted).count();
    let numbers = [
        ("tests", claims.len() + problems.len()),
        ("failures", count(Outcome::Failure)),
        ("errors", problems.len()),
        ("skipped", count(Outcome::Skipped)),
    ]
    .map(|(name, number)| (name, number.to_string()));
    let numbers = || numbers.iter().map(|(name, number)| (*name, number.as_str()));
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let without_skipped = numbers().filter(|(name, _)| *name != "skipped");
    writer.create_element("testsuites").with_attributes(without_skipped).write_inner_content(|writer| {
        let suite = writer.create_element("testsuite").with_attribute(("name", SUITE));
        suite.with_attributes(numbers()).write_inner_content(|writer| {
            let mut names = BTreeSet::new();
            claims.iter().try_for_each(|claim| case(writer, claim, &mut names))?;
            problems.iter().try_for_each(|problem| error(writer, problem))
        })?;
        Ok(())
    })?;
    let mut text = writer.into_inner();
    text.push(b'\n');
    Ok(text)
}

/// Result of a test case.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failure,
    Skipped,
}

/// Result of a claim: an undecided claim, or one without a result, is skipped and does not fail.
fn outcome(claim: &Claim) -> Outcome {
    match claim.standing {
        Some(Standing::Holds) => Outcome::Passed,
        Some(Standing::Fails | Standing::Error) => Outcome::Failure,
        Some(Standing::Undecided) | None => Outcome::Skipped,
    }
}

/// Writes a claim. `names` are those of the claims before it: servers take two test cases of one name for one.
fn case(
    writer: &mut Writer<Vec<u8>>,
    claim: &Claim,
    names: &mut BTreeSet<(String, String)>,
) -> io::Result<()> {
    let (name, class) = (allowed(&claim.text), format!("spl.{}", claim.kind.word()));
    let named = |number: u64| if number == 1 { name.clone() } else { format!("{name} ({number})") };
    let name = (1..).map(named).find(|name| names.insert((class.clone(), name.clone()))).unwrap_or_default();
    let said = claim.said.iter().map(|said| allowed(said)).collect::<Vec<_>>();
    let first = said.first().map_or(NO_RESULT, String::as_str);
    let case = writer
        .create_element("testcase")
        .with_attribute(("classname", class.as_str()))
        .with_attribute(("name", name.as_str()));
    let text = said.join("\n");
    case.write_inner_content(|writer| {
        match outcome(claim) {
            Outcome::Passed => {
                writer.create_element("system-out").write_text_content(BytesText::new(&text))?;
            }
            Outcome::Failure => {
                let failure = writer.create_element("failure").with_attribute(("message", first));
                failure.with_attribute(("type", "spl.fails")).write_text_content(BytesText::new(&text))?;
            }
            Outcome::Skipped => {
                writer.create_element("skipped").with_attribute(("message", first)).write_empty()?;
            }
        }
        Ok(())
    })?;
    Ok(())
}

fn error(writer: &mut Writer<Vec<u8>>, problem: &str) -> io::Result<()> {
    let (name, message) = ("the measurement", allowed(problem));
    let case = writer.create_element("testcase").with_attribute(("classname", "spl.run"));
    case.with_attribute(("name", name)).write_inner_content(|writer| {
        let error = writer.create_element("error").with_attribute(("message", message.as_str()));
        error.with_attribute(("type", "spl.error")).write_empty()?;
        Ok(())
    })?;
    Ok(())
}

/// A text in which XML allows every character (XML 1.0, 2.2).
fn allowed(text: &str) -> String {
    one_line(text).replace(['\u{FFFE}', '\u{FFFF}'], "\u{FFFD}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::Kind;
    use quick_xml::Reader;
    use quick_xml::events::BytesStart;

    /// The elements that each element may have, in this order, and its attributes, required ones first (the
    /// schema by which Jenkins' xUnit plugin checks reports).
    const SCHEMA: [(&str, &[&str], &[&str], usize); 7] = [
        ("testsuites", &["testsuite"], &["tests", "failures", "errors", "name", "time", "disabled"], 0),
        ("testsuite", &["properties", "testcase"], &["name", "tests", "failures", "errors", "skipped"], 4),
        ("testcase", &["skipped", "error", "failure", "system-out"], &["name", "classname", "time"], 2),
        ("failure", &[], &["type", "message"], 0),
        ("error", &[], &["type", "message"], 0),
        ("skipped", &[], &["type", "message"], 0),
        ("system-out", &[], &[], 0),
    ];

    /// An element with its text.
    struct Element {
        name: String,
        attributes: Vec<(String, String)>,
        text: String,
    }

    impl Element {
        fn of(start: &BytesStart<'_>) -> Self {
            let attributes = start.attributes().map(|one| one.unwrap()).map(|one| {
                let value = one.normalized_value(quick_xml::XmlVersion::Implicit1_0).unwrap().into_owned();
                (one.key.as_ref().to_owned(), value)
            });
            Self {
                name: start.name().as_ref().to_owned(),
                attributes: attributes.collect(),
                text: String::new(),
            }
        }

        /// Checks that it follows the schema below its parent.
        fn check(&self, parent: Option<&Self>) {
            let rule = |name: &str| *SCHEMA.iter().find(|(one, ..)| *one == name).unwrap();
            let (name, _, known, required) = rule(&self.name);
            let keys = self.attributes.iter().map(|(key, _)| key.as_str()).collect::<BTreeSet<_>>();
            assert!(known[..required].iter().all(|key| keys.contains(key)), "{name} lacks one: {keys:?}");
            assert!(keys.iter().all(|key| known.contains(key)), "{name} has too many: {keys:?}");
            let fits = parent.is_none_or(|parent| rule(&parent.name).1.contains(&name));
            assert!(fits, "{name} stands in the wrong place");
        }
    }

    /// The document's elements, in order, each checked against the schema.
    fn read(document: &[u8]) -> Vec<Element> {
        let mut reader = Reader::from_reader(document);
        let (mut found, mut path) = (Vec::<Element>::new(), Vec::<usize>::new());
        loop {
            let event = reader.read_event().unwrap();
            match &event {
                Event::Start(start) | Event::Empty(start) => {
                    let element = Element::of(start);
                    element.check(path.last().map(|&parent| &found[parent]));
                    if matches!(event, Event::Start(_)) {
                        path.push(found.len());
                    }
                    found.push(element);
                }
                Event::End(_) => drop(path.pop().unwrap()),
                Event::Text(text) => {
                    if let Some(&index) = path.last() {
                        found[index].text.push_str(text);
                    }
                }
                Event::GeneralRef(name) => {
                    let text = quick_xml::escape::unescape(&format!("&{};", &**name)).unwrap().into_owned();
                    found[*path.last().unwrap()].text.push_str(&text);
                }
                Event::Eof => return found,
                Event::CData(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            }
        }
    }

    fn claim(text: &str, standing: Option<Standing>, said: &[&str]) -> Claim {
        let said = said.iter().map(|&text| text.to_owned()).collect();
        Claim { kind: Kind::Comparison, number: 1, text: text.to_owned(), standing, said, judged: Vec::new() }
    }

    #[test]
    fn every_claim_is_a_test_case_that_reads_back() {
        let claims = [
            claim(
                "a/B.<init>()V < \"b\" & 'c'",
                Some(Standing::Fails),
                &["FAILS <&>\"", "second\u{1}\u{FFFF}"],
            ),
            claim("holds", Some(Standing::Holds), &["holds"]),
            claim("undecided", Some(Standing::Undecided), &["too few"]),
            claim("nothing", None, &[]),
        ];
        let found = read(&document(&claims, &["the agent failed".to_owned()]).unwrap());
        let of = |name: &str| found.iter().filter(|one| one.name == name).collect::<Vec<_>>();
        let attribute = |index: usize, of: &str, key: &str| {
            let element = found.iter().filter(|one| one.name == of).nth(index).unwrap();
            element.attributes.iter().find(|(name, _)| name == key).unwrap().1.clone()
        };
        for (key, number) in [("tests", "5"), ("failures", "1"), ("errors", "1"), ("skipped", "2")] {
            assert_eq!(attribute(0, "testsuite", key), number, "{key}");
        }
        assert_eq!(of("testcase").len(), 5);
        assert_eq!(attribute(0, "testcase", "name"), claims[0].text);
        assert_eq!(attribute(0, "failure", "message"), "FAILS <&>\"");
        assert_eq!(of("failure")[0].text, "FAILS <&>\"\nsecond\u{FFFD}\u{FFFD}");
        assert_eq!(attribute(1, "skipped", "message"), NO_RESULT);
        assert_eq!(attribute(0, "error", "message"), "the agent failed");
        assert_eq!(of("system-out").len(), 1);
    }

    #[test]
    fn claims_of_one_title_are_test_cases_of_different_names() {
        let texts = ["twice", "other", "twice", "twice (2)", "twice"];
        let claims = texts.map(|text| claim(text, Some(Standing::Holds), &["holds"]));
        let found = read(&document(&claims, &[]).unwrap());
        let cases = found.iter().filter(|one| one.name == "testcase");
        let names = cases.map(|one| one.attributes.iter().find(|(key, _)| key == "name").unwrap().1.as_str());
        assert_eq!(names.collect::<Vec<_>>(), ["twice", "other", "twice (2)", "twice (2) (2)", "twice (3)"]);
    }
}
