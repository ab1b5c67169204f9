//! `spl drill --stream`: a trace that goes to a file, a pipe or a socket, and is read from there.

use crate::case::Case;
use crate::drill::{case, drill};
use crate::running::Ended;
use crate::traces::asked;
use std::fs::{self, File};
use std::io::Read;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::thread;

/// A program of one thread, the same each time.
const PROGRAM: [&str; 3] = ["Traced", "300", "0"];

fn traced(case: &Case, options: &[&str]) -> Ended {
    let what = [&["--what", "trace", "--full", "wait", "--all"], options].concat();
    drill(case, &what, &PROGRAM).ends_by_itself()
}

fn answers(case: &Case, place: &str) -> Vec<Vec<String>> {
    let ask = |question: &str| {
        let (out, status, err) = asked(case, &[question, place, "--limit", "100000"]);
        assert_eq!(status, Some(0), "{question}: {err}");
        assert!(!err.contains("not all"), "{question}: {err}");
        let mut lines: Vec<_> = out.lines().map(str::to_owned).collect();
        // Of two lines with as many bytecodes either may be the first.
        if !["tree", "replay"].contains(&question) {
            lines.sort();
        }
        lines
    };
    ["tree", "hot", "worst", "replay", "paths", "unseen"].map(ask).to_vec()
}

fn pipe(case: &Case, name: &str) -> String {
    let path = case.path(name);
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_stream_in_a_file_answers_as_the_folder_does() {
    let in_folder = case();
    traced(&in_folder, &[]).assert_status(0);
    let expected = answers(&in_folder, "out");
    for name in ["whole.spls", "packed.spls.gz"] {
        let case = case();
        let ended = traced(&case, &["--stream", name]);
        ended.assert_status(0);
        assert!(ended.err.contains(&format!("the trace went to {name}, ")), "{}", ended.err);
        assert!(!case.path("out/drill/trace").exists(), "nothing else is written");
        assert_eq!(fs::metadata(case.path(name)).unwrap().permissions().mode() & 0o777, 0o600);
        for (answer, expected) in answers(&case, name).iter().zip(&expected) {
            let differs = answer.iter().zip(expected).find(|(one, other)| one != other);
            assert!(answer == expected, "{name}: {differs:?}");
        }
    }
}

#[test]
fn a_pipe_is_read_while_the_program_runs() {
    let in_folder = case();
    traced(&in_folder, &[]).assert_status(0);
    let (expected, _, _) = asked(&in_folder, &["tree", "out"]);
    for place in ["PIPE", "-"] {
        let case = case();
        let path = pipe(&case, "pipe");
        let mut reader = case.spl_with(&["trace", "tree", if place == "-" { "-" } else { &path }]);
        reader.stdout(Stdio::piped()).stderr(Stdio::piped());
        // Opening a pipe waits for the other end.
        let answer = thread::spawn({
            let path = path.clone();
            move || {
                if place == "-" {
                    reader.stdin(File::open(path).unwrap());
                }
                reader.spawn().unwrap().wait_with_output().unwrap()
            }
        });
        traced(&case, &["--stream", &path]).assert_status(0);
        let answer = answer.join().unwrap();
        assert_eq!(String::from_utf8_lossy(&answer.stdout), expected, "{place}");
    }
}

#[test]
fn a_socket_takes_a_trace() {
    let case = case();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let to = format!("tcp:{}", listener.local_addr().unwrap());
    let read = thread::spawn(move || {
        let mut bytes = Vec::new();
        listener.accept().unwrap().0.read_to_end(&mut bytes).unwrap();
        bytes
    });
    traced(&case, &["--stream", &to]).assert_status(0);
    fs::write(case.path("received"), read.join().unwrap()).unwrap();
    answers(&case, "received");
}

#[test]
fn a_reader_that_goes_away_is_told_and_harms_nobody() {
    let case = case();
    let path = pipe(&case, "pipe");
    let reader = thread::spawn({
        let path = path.clone();
        move || File::open(path).unwrap().read_exact(&mut [0; 16]).unwrap()
    });
    let ended = traced(&case, &["--stream", &path]);
    reader.join().unwrap();
    ended.assert_status(2);
    assert!(ended.err.contains("its reader has gone"), "{}", ended.err);
    assert!(!ended.out.is_empty(), "the program ran to its end");
}

#[test]
fn a_reader_that_takes_nothing_is_left() {
    let case = case();
    let path = pipe(&case, "pipe");
    let opened = thread::spawn({
        let path = path.clone();
        move || File::open(path).unwrap()
    });
    let what = ["--what", "trace", "--all", "--stream", &path];
    let ended = drill(&case, &what, &["Traced", "30000", "2"]).ends_by_itself();
    drop(opened.join().unwrap());
    ended.assert_status(2);
    assert!(ended.err.contains("its reader is too slow"), "{}", ended.err);
}

#[test]
fn a_stream_that_is_cut_or_damaged_is_read_as_far_as_it_goes() {
    let case = case();
    traced(&case, &["--stream", "whole"]).assert_status(0);
    let whole = fs::read(case.path("whole")).unwrap();
    fs::write(case.path("cut"), &whole[..whole.len() - 40]).unwrap();
    for question in ["tree", "replay"] {
        let (out, status, err) = asked(&case, &[question, "cut"]);
        assert!(status == Some(0) && out.contains("Traced.nested("), "{err}");
        assert!(err.contains("cut off in cut"), "{err}");
        assert!(err.contains("is not all that ran"), "{err}");
    }
    // A damaged record in the midst, here a class, leaves the others as they are.
    let mut damaged = whole.clone();
    damaged[40] ^= 1;
    fs::write(case.path("damaged"), damaged).unwrap();
    for question in ["tree", "replay"] {
        let (out, status, err) = asked(&case, &[question, "damaged"]);
        assert!(status == Some(0) && err.contains("damaged or cut off in damaged"), "{question}: {err}");
        assert!(!err.contains("no end") && out.lines().count() > 5, "{question}: {err}");
    }
    fs::write(case.path("other"), b"SPLSTREM\x09\0\0\0\0\0\0\0").unwrap();
    fs::write(case.path("none"), b"PK").unwrap();
    fs::write(case.path("head"), &whole[..16]).unwrap();
    for (name, said) in [("other", "version 9"), ("none", "not a stream"), ("head", "no words of threads")] {
        let (_, status, err) = asked(&case, &["tree", name]);
        assert!(status == Some(2) && err.contains(said), "{name}: {err}");
    }
    let (_, status, err) = asked(&case, &["check", "whole"]);
    assert!(status == Some(2) && err.contains("without --stream"), "{err}");
}

#[test]
fn places_that_cannot_take_a_stream_are_refused_before_the_program_starts() {
    let refused = [
        (&["--what", "blocks", "--stream", "x"][..], "--what trace"),
        (&["--what", "trace", "--no-classes", "--stream", "x"], "--no-classes"),
        (&["--what", "trace", "--stream", "-"], "mkfifo"),
        (&["--what", "trace", "--stream", "tcp:192.0.2.1:80"], "leaves this machine"),
        (&["--what", "trace", "--stream", "tcp:localhost"], "tcp:127.0.0.1:9000"),
        (&["--what", "trace", "--stream", "unix:none"], "No such file"),
        (&["--what", "trace", "--stream", "there"], "--replace"),
        (&["--what", "trace", "--stream", "."], "neither a file nor a pipe"),
        (&["--what", "trace", "--stream", "none/x"], "No such file"),
    ];
    for (options, said) in refused {
        let case = case();
        fs::write(case.path("there"), "kept").unwrap();
        let ended = drill(&case, &[options, &["--all"]].concat(), &PROGRAM).ends_by_itself();
        ended.assert_status(2);
        assert!(ended.err.contains(said) && ended.out.is_empty(), "{options:?}: {}", ended.err);
        assert_eq!(fs::read(case.path("there")).unwrap(), b"kept");
    }
}
