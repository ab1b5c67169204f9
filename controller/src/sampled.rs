//! `spl metrics --sampled`: hears the JVM's events for some time, and changes no class.

mod files;
mod serving;
mod shown;

use crate::cli::{Metrics, Process};
use crate::drill::{FOR_AN_AGENT, WAIT_MS, until_over, wait};
use crate::progress::Progress;
use crate::{attached, foreground, program, tryout};
use files::Folder;
use serving::{Orders, Told, listen};
use spl_session::door::PrivateSocket;
use spl_session::measure::{self, Inputs};
use spl_verdict::ExitStatus;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Hears a JVM's events, and writes and shows them.
///
/// # Errors
/// When the program cannot be started with the agent, no JVM connects, or nothing could be written; text for the operator.
pub fn sampled(arguments: &Metrics) -> Result<ExitStatus, String> {
    let progress = Progress::new(arguments.quiet);
    let library = program::library(arguments.agent.as_deref())?;
    let mut orders =
        Orders { longest: arguments.longest, interval_bytes: arguments.interval << 10, first_by: None };
    if let Some(pid) = arguments.attach {
        orders.first_by = Some(Instant::now() + FOR_AN_AGENT);
        return running(arguments, pid, &library, orders, &progress);
    }
    if let Some(why) = tryout::try_out(&arguments.command, &library)? {
        return Err(why);
    }
    let mut out = Folder::make(&arguments.out, arguments.replace, orders.interval_bytes)?;
    let runtime = measure::event_loop()?;
    let _inside = runtime.enter();
    let (socket, mut inputs) = (PrivateSocket::open(&arguments.out)?, Inputs::new()?);
    runtime.block_on(async {
        let in_foreground = foreground::is_ours();
        let options = format!("spl.client.socket={},spl.client.wait={WAIT_MS}", socket.path().display());
        let launch = program::with_agent(&arguments.command, &library, &options, arguments.children);
        let child = foreground::start(&launch, in_foreground)?;
        let launched = child.id();
        let door = tokio::spawn(socket.accept(inputs.sender()));
        let sender = inputs.sender();
        let ended = tokio::spawn(async move { wait(child, sender).await });
        let told = listen(&orders, &mut inputs, &mut out, &progress).await;
        door.abort();
        let goes_on = told.as_ref().is_ok_and(|told| told.goes_on);
        let standing = told.and_then(|told| results(&told, &mut out, &orders, &progress));
        if let Err(why) = &standing {
            progress.problem(why);
        }
        let status = if ended.is_finished() {
            ended.await.ok().flatten()
        } else {
            until_over(ended, (&mut inputs, launched.filter(|_| in_foreground)), &progress, goes_on).await
        };
        if let Some(status) = status {
            progress.program_ended(status);
        }
        standing
    })
}

/// Hears a JVM that runs already.
fn running(
    arguments: &Metrics,
    pid: u32,
    library: &Path,
    orders: Orders,
    progress: &Progress,
) -> Result<ExitStatus, String> {
    let target = attached::target(&Process { pid: Some(pid), text: None })?;
    let of_it = |why: &dyn std::fmt::Display| format!("pid {pid}: {why}");
    target.approach().map_err(|why| of_it(&why))?;
    let known = target.mapped().agents.into_iter().next();
    let mut out = Folder::make(&arguments.out, arguments.replace, orders.interval_bytes)?;
    let runtime = measure::event_loop()?;
    let _inside = runtime.enter();
    let (socket, path) = attached::socket(&target, &arguments.out)?;
    let mut inputs = Inputs::new()?;
    let library = attached::enter(&target, known, library, &path).map_err(|why| of_it(&why))?;
    let target = Arc::new(target);
    let told = runtime.block_on(async {
        let door = tokio::spawn(socket.accept(inputs.sender()));
        let watch = tokio::spawn(attached::watch(Arc::clone(&target), inputs.sender()));
        let told = listen(&orders, &mut inputs, &mut out, progress).await;
        door.abort();
        watch.abort();
        told
    });
    let stays = attached::left(&target, &library, &path, progress).is_some();
    let status = results(&told?, &mut out, &orders, progress)?;
    Ok(if stays { ExitStatus::Error } else { status })
}

/// Writes and shows the events.
fn results(
    told: &Told,
    out: &mut Folder,
    orders: &Orders,
    progress: &Progress,
) -> Result<ExitStatus, String> {
    let gathered = &told.gathered;
    if let Some(why) = &gathered.refused {
        return Err(format!("nothing was heard: {why}"));
    }
    let has_nothing = gathered.begun_ns.is_none() || gathered.reports.is_empty();
    if has_nothing && told.goes_on {
        return Err("nothing was heard: the agent left before, perhaps by `spl detach`".to_owned());
    }
    if has_nothing {
        return Err("nothing was heard: no JVM of the command told its events before it ended. A JVM connects if it is of \
                    this user, and started by java itself or with JAVA_TOOL_OPTIONS"
            .to_owned());
    }
    out.events(gathered)?;
    gathered.lacks().iter().for_each(|line| progress.note(line));
    shown::lines(gathered, orders.interval_bytes.into()).iter().for_each(|line| progress.note(line));
    progress.note(&format!("rates and events are in {}", out.path().display()));
    Ok(ExitStatus::AllHold)
}
