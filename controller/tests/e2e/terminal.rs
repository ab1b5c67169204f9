//! On a terminal: the live view with a program that writes to the same terminal and reads from it, and
//! Ctrl-C.

use crate::case::{Case, java};
use crate::pty::Terminal;

const FAST: &str = "CompareLoop.fast([I)J";
const SLOW: &str = "CompareLoop.slow([I)J";
/// The sequences of DECSTBM with no margins and of clearing the rest of the screen.
const GIVEN_BACK: &str = "\u{1b}[r\u{1b}8\u{1b}[J";

fn endless() -> Case {
    Case::comparing(&format!("{FAST} < (1, 1000) {SLOW}\n")).endless()
}

fn start(case: &Case, options: &[&str]) -> Terminal {
    Terminal::start(case, options, java(&["CompareLoop", "0", "100000"]))
}

/// The amount of measurements at the program's end depends on the machine.
fn assert_held_or_undecided(terminal: &mut Terminal) {
    let status = terminal.ends();
    assert!(matches!(status, Some(0 | 3)), "{status:?}: {}", terminal.bytes());
}

#[test]
fn ctrl_c_ends_the_measurement_and_a_second_one_the_program() {
    let case = endless();
    let mut terminal = start(&case, &[]);
    for method in [FAST, SLOW] {
        case.awaits_measurements(method, 20);
    }
    terminal.types("\u{3}");
    terminal.awaits("the program goes on; Ctrl-C ends it too");
    // Every verdict that twenty calls may give on a busy machine.
    assert_eq!(case.results().len(), 1);
    assert!(!terminal.bytes().contains("the program ended"), "{}", terminal.bytes());
    terminal.types("\u{3}");
    terminal.awaits("spl: the program ended with status 143");
    let status = terminal.ends();
    assert!(matches!(status, Some(0 | 1 | 3)), "{status:?}");
}

#[test]
fn a_program_reads_from_the_terminal_and_its_lines_stay_above_the_view() {
    let case = endless();
    let mut terminal = start(&case, &[]);
    terminal.awaits_screen("a view", |lines| {
        let shown = lines.iter().position(|line| line.starts_with("spl measuring"));
        // Two rows of figures, the claim, and both its methods.
        shown.is_some_and(|at| {
            let claim = &lines[at + 2];
            at == 19
                && claim.contains(FAST)
                && claim.contains(SLOW)
                && lines[22].contains(FAST)
                && lines[23].contains(SLOW)
        })
    });
    terminal.resize(60, 12);
    terminal.awaits_screen("a view on a smaller terminal", |lines| {
        lines.len() == 12 && lines[7].starts_with("spl measuring") && lines[11].contains("CompareLoop.")
    });
    // The end of its input, with which the program ends too.
    terminal.types("\u{4}");
    terminal.awaits("spl: the program ended with status 0");
    assert_held_or_undecided(&mut terminal);
    let text = terminal.bytes();
    let (view, after) = text.rsplit_once(GIVEN_BACK).expect("the terminal was given back");
    assert!(!after.contains("\u{1b}[1;"), "nothing is kept free any more: {after:?}");
    assert!(view.contains("\u{1b}[1;19r") && view.contains("\u{1b}[1;7r"));
    for line in ["CompareLoop: arrays of 1 length(s)\r\n", "\r\nended\r\n"] {
        assert!(text.contains(line), "{line:?} is not whole");
    }
}

#[test]
fn a_killed_program_gives_the_terminal_back() {
    let case = endless();
    let mut terminal = start(&case, &[]);
    terminal.awaits_screen("a view", |lines| lines[19].starts_with("spl measuring"));
    let text = terminal.bytes();
    let pid = text.split("pid ").nth(1).and_then(|rest| rest.split(':').next()?.parse().ok()).unwrap();
    case.awaits_measurements(SLOW, 20);
    crate::running::kill(pid, "KILL");
    terminal.awaits("spl: the program was ended by signal 9");
    terminal.ends();
    let text = terminal.bytes();
    assert!(!text.rsplit_once(GIVEN_BACK).unwrap().1.contains("\u{1b}[1;"), "{text:?}");
}

#[test]
fn plain_lines_where_they_are_asked_for() {
    let case = endless();
    let mut terminal = start(&case, &["--plain"]);
    terminal.awaits("spl: 0 of 2 methods finished");
    terminal.types("\u{4}");
    // A terminal still has colours.
    terminal.awaits("\u{1b}[38;5;");
    terminal.awaits("spl: the program ended with status 0");
    assert_held_or_undecided(&mut terminal);
    let text = terminal.bytes();
    assert!(!text.contains("\u{1b}[1;") && !text.contains("\u{1b}7"), "{text:?}");
}
