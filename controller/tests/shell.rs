//! Completions and manual pages, as shells and `man` take them, and colours.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

fn spl(arguments: &[&str]) -> Command {
    let mut spl = Command::new(env!("CARGO_BIN_EXE_spl"));
    spl.args(arguments);
    spl
}

fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The commands that the help lists.
fn commands() -> BTreeSet<String> {
    let help = printed(&mut spl(&["--help"]));
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let words = listed.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    words.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

#[test]
fn bash_completes_commands_and_options() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("spl.bash");
    fs::write(&script, printed(&mut spl(&["completions", "bash"]))).unwrap();
    let complete = |words: &str, index: usize| {
        let ask = "COMP_WORDS=($1) COMP_CWORD=$2; _spl spl \"${COMP_WORDS[$2]}\" \"\"; printf '%s\\n' \"${COMPREPLY[@]}\"";
        let ask = format!("source \"$0\"; {ask}");
        let mut bash = Command::new("bash");
        let bash = bash.args(["--norc", "-c", &ask]).arg(&script).args([words, &index.to_string()]);
        printed(bash).lines().map(str::to_owned).collect::<BTreeSet<_>>()
    };
    let found = complete("spl ", 1);
    assert!(commands().iter().all(|command| found.contains(command)), "{found:?}");
    assert_eq!(complete("spl run --jun", 2), BTreeSet::from(["--junit".to_owned()]));
}

#[test]
fn every_shell_gets_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(&mut spl(&["completions", shell]));
        for command in commands() {
            assert!(script.contains(&command), "{shell} lacks {command}");
        }
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    printed(spl(&["man", "man1"]).current_dir(folder.path()));
    let found = fs::read_dir(folder.path().join("man1")).unwrap();
    let found = found.map(|file| file.unwrap().file_name().into_string().unwrap()).collect::<BTreeSet<_>>();
    let expected = commands().into_iter().map(|command| format!("spl-{command}.1"));
    let (nested, found): (BTreeSet<_>, BTreeSet<_>) =
        found.into_iter().partition(|page| page.starts_with("spl-store-"));
    assert_eq!(found, expected.chain(["spl.1".to_owned()]).collect());
    assert!(nested.contains("spl-store-add.1"), "{nested:?}");
    let page = fs::read_to_string(folder.path().join("man1/spl-run.1")).unwrap();
    assert!(page.contains(".TH spl\\-run 1") || page.contains(".TH spl-run 1"), "{page}");
    assert!(page.contains("\\-\\-junit") && page.contains("Ctrl\\-C"), "{page}");
}

#[test]
fn colours_are_for_terminals_and_for_those_who_force_them() {
    let said = |variables: &[(&str, &str)]| {
        let mut spl = spl(&["eval", "--measurements", "none", "--tasks", "none.tasks"]);
        for name in ["NO_COLOR", "CLICOLOR_FORCE"] {
            spl.env_remove(name);
        }
        let output = spl.envs(variables.iter().copied()).env("TERM", "xterm").output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(said(&[]).starts_with("spl: error: cannot read"), "{}", said(&[]));
    let forced = said(&[("CLICOLOR_FORCE", "1")]);
    assert!(forced.starts_with("spl: \u{1b}[38;5;1merror:\u{1b}[39m cannot read"), "{forced:?}");
    assert_eq!(said(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), said(&[]));
}
