//! Mistakes in configurations: every line that is wrong is named, and what would be right.

use super::{blocks, spl, value};
use std::fs;
use std::path::Path;

/// Lines about the configuration that a run prints which is to stop at its task file.
fn said(folder: &Path, ini: &str, set: Option<&str>) -> Vec<String> {
    fs::write(folder.join("f.ini"), format!("{ini}\n")).unwrap();
    let mut arguments = vec!["run", "--config", "f.ini", "--tasks", "none.tasks"];
    arguments.extend(set.into_iter().flat_map(|pair| ["--set", pair]));
    arguments.extend(["--", "true"]);
    let (status, _, said) = spl(folder, &arguments);
    assert_eq!(status, 2, "{ini}: {said}");
    let lines =
        said.lines().map(|line| line.trim_start_matches("spl: ").trim_start_matches("error: ").to_owned());
    let (tasks, wrong): (Vec<_>, Vec<_>) = lines.partition(|line| line.contains("cannot read the task file"));
    assert_ne!(
        tasks.is_empty(),
        wrong.is_empty(),
        "the task file is read if the configuration is right: {said}"
    );
    wrong
}

#[test]
fn each_mistake_has_its_line_its_reason_and_a_remedy_that_works() {
    let folder = tempfile::tempdir().unwrap();
    let mut mistakes = 0;
    for block in blocks("configuration.txt") {
        let (ini, set) = (value(&block, "mistake").unwrap(), value(&block, "set"));
        let got = said(folder.path(), &ini, set.as_deref());
        let expected = block.lines().filter_map(|line| line.strip_prefix("says: "));
        let expected = expected.filter(|line| *line != "nothing").collect::<Vec<_>>();
        assert_eq!(got.len(), expected.len(), "{ini}: {got:#?}");
        for (got, expected) in got.iter().zip(&expected) {
            assert!(got.starts_with(expected), "{ini}: {got}");
        }
        mistakes += usize::from(!expected.is_empty());
        if let Some(corrected) = value(&block, "corrected") {
            let got = said(folder.path(), &corrected, set.as_deref());
            assert!(got.is_empty(), "{corrected}: {got:#?}");
        }
    }
    assert_eq!(mistakes, 41, "mistakes in the file");
}

/// The page lists which keys exclude each other; each of its lines is tried above.
#[test]
fn the_page_has_every_contradiction() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/configuration.md");
    let page = fs::read_to_string(page).unwrap();
    let part = page.split("\n## ").find(|part| part.starts_with("Keys that contradict each other")).unwrap();
    let rows = part.lines().filter(|line| line.starts_with("| `")).collect::<Vec<_>>();
    let tried = blocks("configuration.txt");
    for row in &rows {
        let keys = row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2).collect::<Vec<_>>();
        let is_tried = tried.iter().any(|block| {
            let said = block.lines().filter(|line| line.starts_with("says: ")).collect::<String>();
            keys.iter().all(|key| said.contains(key))
        });
        assert!(is_tried, "{row}");
    }
    assert_eq!(rows.len(), 12, "{rows:#?}");
}
