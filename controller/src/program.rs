//! Starting the measured program with the agent in it.

use spl_classes::launch::is_launcher;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// Name of the agent's library.
pub const LIBRARY: &str = "libspl_agent.so";
/// Variable that keeps `JAVA_TOOL_OPTIONS` for the agent to restore.
const BEFORE_VARIABLE: &str = "SPL_JAVA_TOOL_OPTIONS_BEFORE";
const OPTIONS_VARIABLE: &str = "JAVA_TOOL_OPTIONS";

/// The program's command line with the agent added.
#[derive(Debug)]
pub struct Launch {
    /// Program and arguments.
    pub command: Vec<OsString>,
    /// Environment variables of the program.
    pub environment: Vec<(&'static str, OsString)>,
}

/// The agent's library: `named`, else the one next to this executable.
///
/// # Errors
/// When the library does not exist.
pub fn library(named: Option<&Path>) -> Result<PathBuf, String> {
    let path = match named {
        Some(path) => path.to_owned(),
        None => {
            let me = std::env::current_exe().map_err(|e| format!("cannot find this executable: {e}"))?;
            me.with_file_name(LIBRARY)
        }
    };
    let remedy = "build it with `cargo build --release`, or name it with --agent FILE";
    match fs::canonicalize(&path) {
        Ok(found) if found.is_file() => Ok(found),
        Ok(_) => Err(format!("the agent library {} is not a file: {remedy}", path.display())),
        Err(error) => Err(format!("the agent library {} cannot be read ({error}): {remedy}", path.display())),
    }
}

/// Adds the agent to a command. With `children` its JVM's child JVMs get the agent too, and it stays in the
/// environment.
pub fn with_agent(command: &[OsString], library: &Path, options: &str, children: bool) -> Launch {
    let mut agent = OsString::from("-agentpath:");
    agent.push(library);
    agent.push("=");
    agent.push(options);
    let mut command = command.to_vec();
    if !children && command.first().is_some_and(|program| is_launcher(program)) {
        command.insert(1, agent);
        return Launch { command, environment: Vec::new() };
    }
    let before = std::env::var_os(OPTIONS_VARIABLE).unwrap_or_default();
    let mut after = before.clone();
    if !after.is_empty() {
        after.push(" ");
    }
    // The JVM splits the variable at white space outside quotes.
    after.push("\"");
    after.push(agent);
    after.push("\"");
    let mut environment = vec![(OPTIONS_VARIABLE, after)];
    environment.extend((!children).then_some((BEFORE_VARIABLE, before)));
    Launch { command, environment }
}

/// How a program ended, in words.
pub fn ended_with(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("the program ended with status {code}"),
        (None, Some(number)) => format!("the program was ended by signal {number}"),
        (None, None) => "the program ended".to_owned(),
    }
}

/// Error text for a program that did not start, with the remedy.
pub fn cannot_start(program: &OsStr, error: &io::Error) -> String {
    let kind = error.kind();
    let remedy = if kind == io::ErrorKind::NotFound {
        "is it installed and on the PATH? For Java name the launcher, as in /path/to/jdk/bin/java"
    } else if kind == io::ErrorKind::PermissionDenied {
        "is the file executable?"
    } else {
        "try the command by itself"
    };
    format!("cannot start {}: {error}; {remedy}", program.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn a_launcher_gets_the_agent_as_its_first_argument() {
        let launch = with_agent(
            &command(&["/jdk/bin/java", "-cp", "x", "Main"]),
            Path::new("/a/lib.so"),
            "k=v",
            false,
        );
        assert_eq!(
            launch.command,
            command(&["/jdk/bin/java", "-agentpath:/a/lib.so=k=v", "-cp", "x", "Main"])
        );
        assert!(launch.environment.is_empty());
    }

    #[test]
    fn another_command_gets_it_through_the_environment() {
        let launch = with_agent(&command(&["./start.sh"]), Path::new("/a b/lib.so"), "k=v", false);
        assert_eq!(launch.command, command(&["./start.sh"]));
        let (name, value) = &launch.environment[0];
        assert_eq!(*name, "JAVA_TOOL_OPTIONS");
        assert!(value.to_string_lossy().ends_with("\"-agentpath:/a b/lib.so=k=v\""), "{value:?}");
    }

    #[test]
    fn children_find_it_in_the_environment() {
        let launch = with_agent(&command(&["java", "Main"]), Path::new("/a/lib.so"), "k=v", true);
        assert_eq!(launch.command, command(&["java", "Main"]));
        let names: Vec<&str> = launch.environment.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["JAVA_TOOL_OPTIONS"], "nobody gives back what was before");
    }

    #[test]
    fn a_missing_library_names_the_remedy() {
        let error = library(Some(Path::new("/nowhere/libspl_agent.so"))).unwrap_err();
        assert!(error.contains("/nowhere/libspl_agent.so") && error.contains("--agent"), "{error}");
    }
}
