//! The settings in a unit's files about its environment and its program (systemd.exec(5), systemd.syntax(7)).

use super::dropin::Dropin;
use super::files::{self, File, Root};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The variable that JVMs read their options from.
const VARIABLE: &str = "JAVA_TOOL_OPTIONS";
/// Settings by which a service sees other files than this system.
const OTHER_FILES: [&str; 4] = ["RootDirectory", "RootImage", "RootVerity", "MountImages"];

/// The settings of a service that matter for the agent, with the file of each.
#[derive(Debug, Default)]
pub struct Settings {
    /// Key, value and file, in the order in which they apply.
    lines: Vec<(String, String, PathBuf)>,
    /// Files of environment variables and their texts.
    environments: Vec<File>,
}

impl Settings {
    /// Reads them, without what `except` says.
    ///
    /// # Errors
    /// When there is no such unit, or a file of it cannot be read.
    pub fn of(root: &Root, name: &str, except: &Dropin) -> Result<Self, String> {
        let mut settings = Self::default();
        // The variables of all services; a unit's own beat them.
        for file in files::of_manager(root)? {
            settings.read(&file, "[Manager]");
        }
        for file in files::of(root, name, &except.path())? {
            settings.read(&file, "[Service]");
        }
        let named: Vec<String> = settings.values("EnvironmentFile").map(str::to_owned).collect();
        for path in named {
            let (optional, path) = match path.strip_prefix('-') {
                Some(path) => (true, path.trim()),
                None => (false, path.trim()),
            };
            if path.contains(['%', '*', '?', '[']) {
                return Err(format!(
                    "EnvironmentFile={path} of {name} cannot be looked into, and could set {VARIABLE}: {}",
                    by_hand("the library")
                ));
            }
            match files::read(root, PathBuf::from(path)) {
                Ok(file) => settings.environments.push(file),
                Err(_) if optional => {}
                Err(why) => {
                    return Err(format!(
                        "{why}; it is an EnvironmentFile= of {name}, and could set {VARIABLE}"
                    ));
                }
            }
        }
        Ok(settings)
    }

    /// Takes the settings of one section of a file. An empty value takes back the ones before.
    fn read(&mut self, file: &File, section: &str) {
        let mut is_meant = false;
        for line in joined(&file.text) {
            if line.starts_with('[') {
                is_meant = line.trim_end() == section;
                continue;
            }
            let Some((key, value)) = line.split_once('=').filter(|_| is_meant) else { continue };
            let (key, value) = (key.trim(), value.trim());
            if value.is_empty() {
                self.lines.retain(|(before, _, _)| before != key);
            } else {
                self.lines.push((key.to_owned(), value.to_owned(), file.path.clone()));
            }
        }
    }

    fn values<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.lines.iter().filter(move |(name, _, _)| name == key).map(|(_, value, _)| value.as_str())
    }

    /// The programs that the service starts: first words, without the characters that change how.
    pub fn programs(&self) -> impl Iterator<Item = &OsStr> {
        let words = self.values("ExecStart").filter_map(|line| line.split_whitespace().next());
        words.map(|word| OsStr::new(word.trim_start_matches(['-', '@', ':', '+', '!']).trim_matches('"')))
    }

    /// Refuses a unit that sets the variable, loads the agent, or would not find the library.
    ///
    /// # Errors
    /// The reason and the remedy.
    pub fn refuse(&self, name: &str, library: &Path) -> Result<(), String> {
        let option = library.display().to_string();
        for (key, value, file) in &self.lines {
            let is_set = match key.as_str() {
                "Environment" | "DefaultEnvironment" => words(value).any(|word| sets_variable(word.as_str())),
                "PassEnvironment" => value.split_whitespace().any(|word| word == VARIABLE),
                _ => false,
            };
            if is_set {
                return Err(already(name, file, &option));
            }
            if OTHER_FILES.contains(&key.as_str()) {
                return Err(format!(
                    "{name} has a root folder of its own ({key}= in {}), where {option} is not seen: put the library into it, and {}",
                    file.display(),
                    by_hand(&option)
                ));
            }
            let is_start = key == "ExecStart";
            if is_start
                && (value.contains("-agentpath:") && value.contains("spl_agent") || starts_client(value))
            {
                return Err(format!(
                    "{name} loads the agent already (ExecStart= in {}): nothing is to be done",
                    file.display()
                ));
            }
            if key == "ProtectHome" && value != "no" && value != "false" && is_of_home(library) {
                return Err(format!(
                    "{name} does not see {option} (ProtectHome={value} in {}): name a copy outside of home folders with --agent",
                    file.display()
                ));
            }
        }
        let setting = |file: &&File| {
            file.text.lines().any(|line| sets_variable(line.trim().trim_start_matches("export ").trim()))
        };
        self.environments.iter().find(setting).map_or(Ok(()), |file| Err(already(name, &file.path, &option)))
    }
}

fn already(name: &str, file: &Path, library: &str) -> String {
    format!("{name} sets {VARIABLE} already, in {}: {}", file.display(), by_hand(library))
}

fn by_hand(library: &str) -> String {
    format!("add -agentpath:{library}={} to its value there by hand", super::dropin::OPTIONS)
}

/// Whether a word of `Environment=` or a line of a file is about the variable.
fn sets_variable(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| name.trim() == VARIABLE)
}

/// `spl client` becomes the JVM, with the agent in it.
fn starts_client(value: &str) -> bool {
    let mut words = value.split_whitespace();
    words.next().is_some_and(|word| Path::new(word).file_name() == Some(OsStr::new("spl")))
        && words.next().is_some_and(|word| word == "client" || word == "run")
}

fn is_of_home(path: &Path) -> bool {
    ["/home", "/root", "/run/user"].iter().any(|home| path.starts_with(home))
}

/// Lines without comments; a backslash at the end joins one with the next.
fn joined(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with(['#', ';']) || (line.is_empty() && !goes_on) {
            continue;
        }
        let (part, more) = line.strip_suffix('\\').map_or((line, false), |part| (part, true));
        match lines.last_mut().filter(|_| goes_on) {
            Some(last) => {
                last.push(' ');
                last.push_str(part);
            }
            None => lines.push(part.to_owned()),
        }
        goes_on = more;
    }
    lines
}

/// Words between white space; quotes around a word or a part of it are left out.
fn words(text: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, c) if c.is_whitespace() => words.push(String::new()),
            (_, c) => words.last_mut().into_iter().for_each(|word| word.push(c)),
        }
    }
    words.into_iter().filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reason for which a unit with this text is refused.
    fn refused(text: &str) -> Option<String> {
        let mut settings = Settings::default();
        settings.read(&File { path: PathBuf::from("/etc/u"), text: text.to_owned() }, "[Service]");
        settings.refuse("u.service", Path::new("/usr/lib/spl/a.so")).err()
    }

    #[test]
    fn a_variable_that_is_set_is_found_however_it_is_written() {
        for set in [
            "Environment=JAVA_TOOL_OPTIONS=-Xmx1g",
            "Environment=A=b \"JAVA_TOOL_OPTIONS=-Xmx1g -Xms1g\"",
            "Environment=A=b 'JAVA_TOOL_OPTIONS=-Xmx1g'",
            "Environment = A=b \\\n  # between\n  JAVA_TOOL_OPTIONS=x",
            "PassEnvironment=LANG JAVA_TOOL_OPTIONS",
        ] {
            let why = refused(&format!("[Unit]\n[Service]\n{set}\n")).unwrap();
            assert!(why.contains("/etc/u") && why.contains("by hand"), "{set}: {why}");
        }
        for free in [
            "Environment=JAVA_OPTS=JAVA_TOOL_OPTIONS=x",
            "Environment=\"A=b JAVA_TOOL_OPTIONS=x\"",
            "# Environment=JAVA_TOOL_OPTIONS=x",
            "Environment=JAVA_TOOL_OPTIONS=x\nEnvironment=",
        ] {
            assert_eq!(refused(&format!("[Service]\n{free}\n")), None, "{free}");
        }
        assert_eq!(refused("[Unit]\nEnvironment=JAVA_TOOL_OPTIONS=x\n[Service]\n"), None);
    }

    #[test]
    fn units_that_have_the_agent_or_do_not_see_it_are_refused() {
        for (text, word) in [
            ("ExecStart=/opt/spl/spl client -- java", "already"),
            ("ExecStart=java -agentpath:/x/libspl_agent.so -jar a.jar", "already"),
            ("RootDirectory=/srv/a", "root folder"),
        ] {
            assert!(refused(&format!("[Service]\n{text}\n")).unwrap().contains(word), "{text}");
        }
        assert_eq!(refused("[Service]\nExecStart=/usr/bin/java -jar a.jar\n"), None);
    }
}
