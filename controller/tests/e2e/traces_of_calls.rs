//! `spl drill --what trace --within`: some calls of a method with all that runs in them.

use crate::drill::{case, document, drill};
use crate::running::Running;
use crate::traces::{asked, leaves};

/// The calls within which was traced: number, and the lines of each.
fn calls_of(out: &str) -> Vec<(u64, Vec<&str>)> {
    let mut calls = Vec::new();
    for line in out.lines() {
        if let Some(call) = line.strip_prefix("call ") {
            calls.push((call.split(',').next().unwrap().parse().unwrap(), Vec::new()));
        } else if let Some((_, lines)) = calls.last_mut() {
            lines.push(line);
        } else {
            assert!(line.starts_with("thread "), "{line}");
        }
    }
    calls
}

#[test]
fn one_of_some_calls_is_traced_with_all_that_runs_in_it_and_nothing_else() {
    for mode in ["-Xint", "-Xmixed"] {
        let case = case();
        let options =
            ["--what", "trace", "--all", "--within", "Requests#handle", "--one-in", "3", "--replace"];
        let ended = drill(&case, &options, &[mode, "Requests", "100"]).ends_by_itself();
        ended.assert_status(0);
        assert_eq!(ended.out, "served\n");
        ended.assert_said(&["traced within 68 of 200 calls of the methods of --within"]);
        let document = document(&case);
        assert_eq!(
            (&document["is_exact"], &document["within"]["one_in"]),
            (&true.into(), &3.into()),
            "{document}"
        );
        let (out, status, err) = asked(&case, &["replay", "out"]);
        assert_eq!((status, err.as_str()), (Some(0), ""));
        let calls = calls_of(&out);
        assert_eq!(calls.len(), 68, "{out}");
        for ((number, lines), request) in calls.iter().zip((0..34).chain(0..34).map(|place| 3 * place)) {
            assert_eq!(*number, request + 1);
            let of = |what: &str| lines.iter().filter(|line| line.ends_with(what)).count();
            let depth: usize = lines[0].split(' ').next().unwrap().parse().unwrap();
            assert_eq!(of("> Requests.work(I)V"), request as usize, "request {request}");
            assert_eq!(of("> Requests.handle(I)V"), 1 + usize::from(request % 5 == 4), "request {request}");
            assert_eq!(
                of(&format!("{depth} < Requests.handle(I)V exception")),
                usize::from(request % 4 == 3)
            );
            let nothing_else = ["Requests.idle", "Requests.beside", "Requests.serve"];
            assert!(
                !lines.iter().any(|line| nothing_else.iter().any(|other| line.contains(other))),
                "{lines:?}"
            );
        }
    }
}

#[test]
fn a_running_program_is_traced_within_calls_again_and_again() {
    let case = case();
    let program = leaves(&case);
    let pid = program.pid().to_string();
    for within in [true, false, true] {
        let mut options =
            vec!["drill", "--attach", &pid, "--yes", "--replace", "--for", "300ms", "--what", "trace"];
        options.extend(["--methods", "Leaves$Told", "--out", "out"]);
        if within {
            options.extend(["--within", "Leaves$Told#several", "--one-in", "1000"]);
        }
        Running::start(case.spl_with(&options), &case.path("")).ends().assert_status(0);
        if within {
            let (out, status, err) = asked(&case, &["replay", "out"]);
            assert_eq!(status, Some(0), "{err}");
            let calls = calls_of(&out);
            assert!(!calls.is_empty(), "{err}");
            for (_, lines) in calls.iter().filter(|(_, lines)| !lines.is_empty()) {
                assert!(lines[0].ends_with("> Leaves$Told.several(I)I"), "{lines:?}");
                assert!(lines.iter().filter(|line| line.ends_with("> Leaves$Told.several(I)I")).count() == 1);
                assert!(lines.iter().filter(|line| line.ends_with("> Leaves$Told.leaf(I)I")).count() <= 2);
            }
        }
    }
    program.ends().assert_status(0);
}
