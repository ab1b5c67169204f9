//! A drill whose controller is killed: the agent restores the classes once, and is quiet afterwards.

use crate::drill::{case, drill};
use crate::harness::{DEADLINE, poll};
use crate::running::Running;
use std::fs;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Connections of an agent that looks for its controller. Its pauses begin with 50 ms and double, so these take 1.5 s at least.
const LOOKS: usize = 6;
/// Less than that, as the first pause may be cut short by the end of the restoring.
const PAUSES: Duration = Duration::from_secs(1);

/// The socket that the agent of a command's JVM connects to.
fn socket(run: &Running) -> PathBuf {
    let (spl, mut found) = (run.pid(), None);
    poll("the JVM of the command", DEADLINE, || {
        let children = fs::read_to_string(format!("/proc/{spl}/task/{spl}/children")).unwrap_or_default();
        let lines = children.split_whitespace().map(|child| fs::read(format!("/proc/{child}/cmdline")));
        let lines = lines.flatten().map(|line| String::from_utf8_lossy(&line).into_owned());
        found = lines.filter_map(|line| Some(line.split("spl.client.socket=").nth(1)?.to_owned())).next();
        found.is_some().then_some(())
    });
    found.unwrap().split([',', '\0']).next().unwrap().into()
}

/// Number of times that the JVM has replaced the code of the class since it was loaded.
fn changes(log: &Path) -> usize {
    let text = fs::read_to_string(log).unwrap_or_default();
    text.lines().filter(|line| line.contains("redefined ") && line.contains("CompareLoop, count=")).count()
}

#[test]
fn the_classes_of_a_drill_whose_controller_was_killed_are_restored_once() {
    let case = case();
    let log = case.path("redefined.log");
    let logs = format!("-Xlog:redefine+class*=info:file={}", log.display());
    let mut run = drill(&case, &["--methods", "CompareLoop"], &[&logs, "CompareLoop", "0", "2560"]);
    run.awaits("ready");
    let socket = socket(&run);
    // Its class was loaded with the counters in it.
    assert_eq!(changes(&log), 0);
    run.signal("KILL");
    run.spl_ends_with(None);
    poll("the restored class", DEADLINE, || (changes(&log) > 0).then_some(()));
    // A controller that turns the agent away. It has to come back, and ever more slowly.
    fs::remove_file(&socket).unwrap();
    let door = UnixListener::bind(&socket).unwrap();
    door.set_nonblocking(true).unwrap();
    let mut first = None;
    for _ in 0..LOOKS {
        drop(poll("the agent", DEADLINE, || door.accept().ok()));
        first.get_or_insert_with(Instant::now);
    }
    let took = first.unwrap().elapsed();
    assert!(took > PAUSES, "the agent looks for its controller without a pause: {LOOKS} times in {took:?}");
    assert_eq!(changes(&log), 1, "{}", fs::read_to_string(&log).unwrap());
    assert!(run.ends().out.ends_with("ended\n"));
}
