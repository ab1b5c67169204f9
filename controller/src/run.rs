//! `spl run`: the controller and the program together.

use crate::agents;
use crate::cli::Run;
use crate::config::{Config, DEFAULT_FILE, FILE_VARIABLE};
use crate::output::Output;
use crate::program;
use crate::progress::Progress;
use crate::session::{Input, Next, Session};
use spl_lang::{RunMode, Tasks, parse_tasks};
use spl_scheduler::Scheduler;
use spl_verdict::{ExitStatus, Standing, exit_status};
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus as ProgramStatus;
use tempfile::TempDir;
use tokio::net::UnixListener;
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{self, Receiver, Sender};

/// Inputs that may wait for the session; a slow one slows the agents' reading, not their programs.
const WAITING_INPUTS: usize = 64;
/// The longest path of a Unix socket on Linux (unix(7)), without the final zero.
const LONGEST_SOCKET_PATH: usize = 107;

/// Runs the program and its measurement; errors are text for the operator.
///
/// # Errors
/// When the measurement could not begin. The program was not started then.
pub fn run(arguments: &Run) -> Result<ExitStatus, String> {
    let mut config = read_config(arguments.config.as_deref())?;
    if let Some(tasks) = &arguments.tasks {
        config.tasks_file.clone_from(tasks);
    }
    if let Some(out) = &arguments.out {
        config.write_to(out);
    }
    let progress = Progress::new(arguments.quiet);
    let tasks = read_tasks(&config.tasks_file, config.scheduler.mode, &progress)?;
    let library = program::library(arguments.agent.as_deref())?;
    program::try_out(&arguments.command, &library)?;
    let scheduler = Scheduler::new(config.scheduler.clone(), &tasks).map_err(|e| e.to_string())?;
    let output = Output::open(&config, &tasks)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|e| format!("cannot start the event loop: {e}"))?;
    let session = Session::new(&config, &tasks, scheduler, output, progress);
    runtime.block_on(measure(arguments, &library, &tasks, session))
}

fn read_config(named: Option<&Path>) -> Result<Config, String> {
    let variable = std::env::var_os(FILE_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    let (path, must_exist) = match named.map(Path::to_owned).or(variable) {
        Some(path) => (path, true),
        None => (PathBuf::from(DEFAULT_FILE), false),
    };
    match fs::read_to_string(&path) {
        Ok(text) => Config::parse(&text, &path),
        Err(error) if error.kind() == ErrorKind::NotFound && !must_exist => Ok(Config::default()),
        Err(error) => Err(format!("cannot read the configuration {}: {error}", path.display())),
    }
}

fn read_tasks(path: &Path, mode: RunMode, progress: &Progress) -> Result<Tasks, String> {
    let text = fs::read_to_string(path).map_err(|e| {
        format!("cannot read the task file {}: {e}; name one with --tasks FILE", path.display())
    })?;
    let name = path.display().to_string();
    let shown = |diagnostics: &[spl_lang::Diagnostic]| {
        diagnostics.iter().map(|one| one.render(&name, &text)).collect::<Vec<_>>().join("\n")
    };
    match parse_tasks(&text, mode) {
        Ok(tasks) => {
            if !tasks.warnings.is_empty() {
                progress.note(&shown(&tasks.warnings));
            }
            Ok(tasks)
        }
        Err(diagnostics) => Err(format!("the task file {name} cannot be used\n{}", shown(&diagnostics))),
    }
}

async fn measure(
    arguments: &Run,
    library: &Path,
    tasks: &Tasks,
    mut session: Session<'_>,
) -> Result<ExitStatus, String> {
    let progress = Progress::new(arguments.quiet);
    let (inputs, waiting) = mpsc::channel(WAITING_INPUTS);
    let (folder, listener) = listen()?;
    let socket = folder.path().join(SOCKET);
    tokio::spawn(accept(listener, inputs.clone()));
    let mut interrupts = watch_signals(&inputs)?;
    let child = start(arguments, library, &socket)?;
    let ended = tokio::spawn(wait(child, inputs));
    drive(&mut session, waiting).await;
    // The socket's folder goes before the program may have ended: a dormant agent has no use for it.
    drop(folder);
    let status = tokio::select! {
        status = ended => status.ok().flatten(),
        // An interrupt, now or before, leaves the program alone.
        Some(()) = interrupts.recv() => None,
    };
    report_program(&progress, status);
    progress.table(tasks, session.evaluations());
    if !session.ever_connected() {
        progress.problem(
            "no agent connected: the command started no JVM, or one that ended at once or ignores JAVA_TOOL_OPTIONS; \
             try the command by itself, and let it start java directly",
        );
        return Ok(ExitStatus::Error);
    }
    if !session.problems().is_empty() {
        return Ok(ExitStatus::Error);
    }
    Ok(standing(tasks, &session))
}

const SOCKET: &str = "spl.sock";

/// A socket that only this user can reach.
fn listen() -> Result<(TempDir, UnixListener), String> {
    let make = |base: &Path| {
        let mut builder = tempfile::Builder::new();
        builder.prefix("spl-").permissions(fs::Permissions::from_mode(0o700)).tempdir_in(base)
    };
    let usable = |folder: &TempDir| folder.path().as_os_str().len() + SOCKET.len() < LONGEST_SOCKET_PATH;
    // An agent option ends at a comma.
    let plain = |folder: &TempDir| !folder.path().as_os_str().as_encoded_bytes().contains(&b',');
    let bases = [
        std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from),
        Some(std::env::temp_dir()),
        Some("/tmp".into()),
    ];
    let made = bases.into_iter().flatten().filter(|base| base.is_absolute()).map(|base| make(&base));
    let mut last = io::Error::from(ErrorKind::NotFound);
    for folder in made {
        match folder {
            Ok(folder) if usable(&folder) && plain(&folder) => {
                let path = folder.path().join(SOCKET);
                let listener = UnixListener::bind(&path)
                    .map_err(|e| format!("cannot listen on {}: {e}", path.display()))?;
                return Ok((folder, listener));
            }
            Ok(_) => {}
            Err(error) => last = error,
        }
    }
    Err(format!(
        "cannot make a folder for the agent's socket: {last}; point TMPDIR at a folder with a short path"
    ))
}

async fn accept(listener: UnixListener, inputs: Sender<Input>) {
    let mut id = 0;
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(agents::serve(stream, id, inputs.clone()));
        id += 1;
    }
}

/// Signals as inputs to the session, and to the receiver for what comes after it.
fn watch_signals(inputs: &Sender<Input>) -> Result<Receiver<()>, String> {
    let (count, counted) = mpsc::channel(8);
    for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
        let mut signals = signal(kind).map_err(|e| format!("cannot watch for signals: {e}"))?;
        let (inputs, count) = (inputs.clone(), count.clone());
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                // Both receivers may be gone when the run is ending anyway.
                let _ = inputs.try_send(Input::Interrupted);
                let _ = count.try_send(());
            }
        });
    }
    Ok(counted)
}

fn start(arguments: &Run, library: &Path, socket: &Path) -> Result<Child, String> {
    let options = format!("spl.client.socket={}", socket.display());
    let launch = program::with_agent(&arguments.command, library, &options);
    let program = &launch.command[0];
    Command::new(program)
        .args(&launch.command[1..])
        .envs(launch.environment)
        .spawn()
        .map_err(|error| program::cannot_start(program, &error))
}

async fn wait(mut child: Child, inputs: Sender<Input>) -> Option<ProgramStatus> {
    let status = child.wait().await.ok();
    // The session may have ended before the program.
    let _ = inputs.send(Input::Ended).await;
    status
}

/// The one loop that owns the session.
async fn drive(session: &mut Session<'_>, mut inputs: Receiver<Input>) {
    loop {
        let next = tokio::select! {
            biased;
            () = tokio::time::sleep_until(session.next_cycle().into()) => session.cycle(),
            Some(input) = inputs.recv() => session.input(input),
        };
        if next == Next::Over {
            return;
        }
    }
}

fn report_program(progress: &Progress, status: Option<ProgramStatus>) {
    let Some(status) = status else { return progress.note("the program goes on") };
    match (status.code(), status.signal()) {
        (Some(code), _) => progress.note(&format!("the program ended with status {code}")),
        (None, Some(number)) => progress.note(&format!("the program was ended by signal {number}")),
        (None, None) => {}
    }
}

/// The exit status of the run: in measurement mode all is well when nothing went wrong.
fn standing(tasks: &Tasks, session: &Session<'_>) -> ExitStatus {
    let evaluations = session.evaluations();
    let missing =
        (0..tasks.comparisons.len()).filter(|index| evaluations.iter().all(|e| e.comparison != *index));
    exit_status(evaluations.iter().map(|e| e.standing()).chain(missing.map(|_| Standing::Undecided)))
}
