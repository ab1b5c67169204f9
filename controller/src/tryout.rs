//! Tries the agent's library in a JVM that ends at once, before the program is started with it: a JVM whose
//! agent cannot be loaded does not start, and we would be the cause.

use crate::launcher;
use crate::program::{cannot_start, with_agent};
use rustix::process::{Pid, Signal, kill_process};
use spl_classes::launch::is_launcher;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Options with which the agent finds no controller.
const DRY: &str = "spl.client.socket=/nonexistent/spl";
/// Options by which a crash of this JVM leaves no file behind.
const QUIET: [&str; 3] = ["-Xshare:auto", "-XX:ErrorFile=/dev/null", "-XX:-CreateCoredumpOnCrash"];
/// Time after which a JVM that has not printed its version is considered hung.
const LONGEST: Duration = Duration::from_secs(60);

/// Tries the library in the JVM of a command, with the options for that JVM's memory and way to run; gives
/// the reason for starting the program without it. Only a Java launcher can be tried; the JVM of another
/// command is unknown.
///
/// # Errors
/// When there is no such launcher, so that the program cannot be started at all; one line of text.
pub fn try_out(command: &[OsString], library: &Path) -> Result<Option<String>, String> {
    let Some((program, arguments)) = command.split_first() else {
        return Err("no command after --".to_owned());
    };
    if !is_launcher(program) {
        return Ok(None);
    }
    let mut options = launcher::options(arguments, |name| std::env::var_os(name));
    options.retain(|option| is_tried(&option.to_string_lossy()));
    let run = |options: &[OsString], with_library: bool| {
        let mut line = vec![program.clone()];
        line.extend(QUIET.map(OsString::from));
        line.extend(options.iter().cloned());
        line.push("-version".into());
        let line = if with_library { with_agent(&line, library, DRY, false).command } else { line };
        ended(&line).map_err(|error| cannot_start(program, &error))
    };
    for options in [&options[..], &[]] {
        let Some(said) = why_not(&run(options, true)?) else { return Ok(None) };
        if why_not(&run(options, false)?).is_none() {
            return Ok(Some(complaint(program, library, &said)));
        }
    }
    // A JVM that does not start even without the library reports that when the program is started.
    Ok(None)
}

fn complaint(program: &OsStr, library: &Path, said: &str) -> String {
    let remedy = if is_for_another(said) {
        "\nThe agent library has to be built for the JVM's machine and C library (glibc or musl)."
    } else {
        ""
    };
    let (program, library) = (program.display(), library.display());
    format!("{program} does not load the agent library {library}: {said}{remedy}")
}

/// Whether an option is tried: options of memory and of ways to run are. Options with effects outside the JVM
/// are not: other agents, debuggers, logs, recordings, archives, and all that read or write a file.
fn is_tried(option: &str) -> bool {
    const OF_JVM: [&str; 14] = [
        "-Xmx",
        "-Xms",
        "-Xmn",
        "-Xss",
        "-Xint",
        "-Xcomp",
        "-Xmixed",
        "-Xbatch",
        "-Xrs",
        "-Xcheck:jni",
        "-Xnoclassgc",
        "-Xshare:",
        "-server",
        "-client",
    ];
    const WITH_EFFECTS: [&str; 16] = [
        "File",
        "Path",
        "Log",
        "Dump",
        "Archive",
        "AOT",
        "Record",
        "OnError",
        "OnOutOfMemoryError",
        "Print",
        "PreTouch",
        "Pause",
        "Replay",
        "CompileCommand",
        "CRaC",
        "Flags=",
    ];
    match option.strip_prefix("-XX:") {
        Some(flag) => !WITH_EFFECTS.iter().any(|part| flag.contains(part)),
        None => OF_JVM.iter().any(|start| option.starts_with(start)) && !option.contains("dump"),
    }
}

/// Runs a command to its end, without the options of the environment, which are in the command.
fn ended(line: &[OsString]) -> io::Result<Output> {
    let mut command = Command::new(&line[0]);
    command.args(&line[1..]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for variable in launcher::VARIABLES {
        command.env_remove(variable);
    }
    let child = command.spawn()?;
    let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let (sender, end) = mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    if let Ok(output) = end.recv_timeout(LONGEST) {
        return output;
    }
    // The process was not waited for yet, so the number is still its own.
    let _ = process.map(|process| kill_process(process, Signal::KILL));
    end.recv().unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

/// Messages of a JVM that did not end as expected.
fn why_not(output: &Output) -> Option<String> {
    if output.status.success() {
        return None;
    }
    let said =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    let lines = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>();
    Some(match (&lines[..], output.status.signal()) {
        ([], Some(signal)) => format!("it was ended by signal {signal}"),
        ([], None) => "it did not say why".to_owned(),
        (lines, _) => lines.join("; "),
    })
}

/// Whether the JVM's messages mean a library for another machine or another C library: words of the dynamic
/// loaders of glibc and musl, and of the JVM, which compares machines.
fn is_for_another(said: &str) -> bool {
    const WORDS: [&str; 10] = [
        "ELF",
        "Possible cause",
        "file too short",
        "cannot open shared object file",
        "Error loading shared library",
        "Exec format error",
        "GLIBC_",
        "symbol not found",
        "undefined symbol",
        "not a valid",
    ];
    said.contains("agent library") && WORDS.iter().any(|word| said.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_with_effects_are_not_tried() {
        let tried = [
            "-Xmx1g",
            "-XX:CompressedClassSpaceSize=64m",
            "-XX:+UseSerialGC",
            "-Xss256k",
            "-XX:+UnlockDiagnosticVMOptions",
        ];
        let left = [
            "-javaagent:a.jar",
            "-agentlib:jdwp=transport=dt_socket,suspend=y",
            "-Xlog:gc:file=gc.log",
            "-XX:StartFlightRecording:filename=a.jfr",
            "-XX:ArchiveClassesAtExit=a.jsa",
            "-XX:AOTCacheOutput=a.aot",
            "-XX:+AlwaysPreTouch",
            "-XX:Flags=.hotspotrc",
            "-Xshare:dump",
            "-Da=b",
            "-XX:+PrintFlagsFinal",
            "--dry-run",
        ];
        assert!(tried.iter().all(|option| is_tried(option)));
        assert!(!left.iter().any(|option| is_tried(option)));
    }

    #[test]
    fn only_a_library_of_another_kind_is_blamed() {
        let said = "Could not find agent library /a.so in absolute path, with error: ";
        assert!(is_for_another(&format!("{said}/a.so: wrong ELF class: ELFCLASS32")));
        assert!(is_for_another(&format!("{said}/lib/libc.so.6: version `GLIBC_2.39' not found")));
        assert!(!is_for_another(&format!("{said}/a.so: failed to map segment from shared object")));
        assert!(!is_for_another("Error: Could not reserve enough space for 64MB of compressed class space"));
    }

    #[test]
    fn a_missing_java_names_the_remedy() {
        let error = try_out(&["/nowhere/java".into()], Path::new("/lib.so")).unwrap_err();
        assert!(error.contains("/nowhere/java") && error.contains("PATH"), "{error}");
    }
}
