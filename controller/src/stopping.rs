//! Ends the program when its measurement is over (`--stop-program`), and passes on its status
//! (`--program-status`).

use crate::foreground;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus as ProgramStatus;
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// Time that a program has to end before it is killed: the same as for systemd and containers.
const GRACE: Duration = Duration::from_secs(10);
/// Interval between two checks whether a script's JVM is gone.
const LOOK: Duration = Duration::from_millis(20);
/// Number that shells add to that of a signal.
const SIGNALLED: i32 = 128;

/// Asks the program and its JVMs to end, and kills the processes that still run after the grace period. Gives
/// the program's status.
pub async fn stop(
    mut ended: JoinHandle<Option<ProgramStatus>>,
    launched: Option<u32>,
    jvms: &[u32],
    say: impl Fn(&str),
) -> Option<ProgramStatus> {
    let until = Instant::now() + GRACE;
    if ended.is_finished() && !jvms.iter().any(|&one| foreground::is_there(one)) {
        return ended.await.ok().flatten();
    }
    say("the measurement is over; a signal tells the program to end");
    let all: Vec<u32> =
        launched.into_iter().filter(|_| !ended.is_finished()).chain(jvms.iter().copied()).collect();
    all.iter().for_each(|&one| foreground::end(one));
    let status = tokio::time::timeout(GRACE, &mut ended).await;
    // A script may end before the JVM that it started.
    while Instant::now() < until && jvms.iter().any(|&one| foreground::is_there(one)) {
        tokio::time::sleep(LOOK).await;
    }
    let still: Vec<u32> = jvms.iter().copied().filter(|&one| foreground::is_there(one)).collect();
    if status.is_ok() && still.is_empty() {
        return status.ok()?.ok().flatten();
    }
    say(&format!("the program has not ended within {} s and is killed", GRACE.as_secs()));
    still.iter().for_each(|&one| foreground::kill(one));
    match status {
        Ok(status) => status.ok().flatten(),
        Err(_) => {
            launched.into_iter().for_each(foreground::kill);
            ended.await.ok().flatten()
        }
    }
}

/// The program's status as our exit status: as in shells, 128 plus the number of a signal.
pub fn code(status: ProgramStatus) -> u8 {
    let code = status.code().or_else(|| Some(SIGNALLED + status.signal()?));
    // Codes outside 0 to 255 do not occur.
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_told_as_shells_tell_it() {
        assert_eq!(code(ProgramStatus::from_raw(7 << 8)), 7);
        assert_eq!(code(ProgramStatus::from_raw(9)), 137);
    }
}
