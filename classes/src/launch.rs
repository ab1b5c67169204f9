//! The classes that a command line of the Java launcher names (java(1)).

use crate::{Jdk, path};
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Whether a command is a Java launcher, whose arguments are known.
#[must_use]
pub fn is_launcher(program: &OsStr) -> bool {
    Path::new(program).file_name() == Some(OsStr::new("java"))
}

/// The class path, with modules' JARs, and the JDK of a command. Other commands have the installed JDK only.
#[must_use]
pub fn of_command(command: &[OsString]) -> (Vec<PathBuf>, Option<Jdk>) {
    let Some((program, arguments)) = command.split_first().filter(|(program, _)| is_launcher(program)) else {
        return (Vec::new(), Jdk::installed());
    };
    (entries_of(arguments, env::var_os("CLASSPATH")), jdk_of(program))
}

fn jdk_of(launcher: &OsStr) -> Option<Jdk> {
    let path = Path::new(launcher);
    if path.components().count() > 1 {
        return Jdk::of_launcher(path);
    }
    let folders = env::var_os("PATH")?;
    let found = env::split_paths(&folders).map(|folder| folder.join(launcher)).find(|java| java.is_file())?;
    Jdk::of_launcher(&found)
}

/// Entries of the class path. Arguments before the main class are the launcher's; the last of several class
/// paths counts.
fn entries_of(arguments: &[OsString], variable: Option<OsString>) -> Vec<PathBuf> {
    let mut class_path = variable.filter(|path| !path.is_empty()).unwrap_or_else(|| ".".into());
    let mut modules = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        let (name, value) = match text.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(OsString::from(value))),
            _ => (&*text, None),
        };
        let mut value = || value.clone().or_else(|| rest.next().cloned()).unwrap_or_default();
        match name {
            "-cp" | "-classpath" | "--class-path" => class_path = value(),
            "-p" | "--module-path" => modules = module_entries(&value()),
            "-jar" => {
                class_path = value();
                break;
            }
            "-m" | "--module" => break,
            "--add-modules"
            | "--add-exports"
            | "--add-opens"
            | "--add-reads"
            | "--patch-module"
            | "--upgrade-module-path"
            | "--limit-modules"
            | "--describe-module"
            | "-d"
            | "--source"
            | "--enable-native-access" => drop(value()),
            option if option.starts_with(['-', '@']) => {}
            // The main class.
            _ => break,
        }
    }
    [path::entries(&class_path), modules].concat()
}

/// Modules of one entry of a module path: a folder holds them as JARs or unpacked.
pub(crate) fn module_entries(module_path: &OsStr) -> Vec<PathBuf> {
    let inside = |entry: PathBuf| -> Vec<PathBuf> {
        let Ok(files) = std::fs::read_dir(&entry) else { return vec![entry] };
        let mut modules: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
        modules.sort();
        modules.retain(|module| {
            module.join("module-info.class").is_file() || module.extension() == Some(OsStr::new("jar"))
        });
        [vec![entry], modules].concat()
    };
    env::split_paths(module_path).flat_map(inside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_launchers_options_name_the_classes() {
        let check = |words: &str, expected: &[&str]| {
            let arguments = words.split(' ').map(OsString::from).collect::<Vec<_>>();
            let found = entries_of(&arguments, None);
            assert_eq!(found, expected.iter().map(PathBuf::from).collect::<Vec<_>>(), "{words}");
        };
        check("-Xmx1g Main -cp x", &["."]);
        check("-cp a.jar:b -ea p.Main", &["a.jar", "b"]);
        check("--class-path=a -cp b Main", &["b"]);
        check("-cp a -jar app.jar -cp b", &["app.jar"]);
        check("--add-opens java.base/java.lang=ALL-UNNAMED --class-path a Main", &["a"]);
        check("--add-opens=java.base/java.lang=ALL-UNNAMED -classpath a Main", &["a"]);
        check("-p none.jar -m mod/p.Main", &[".", "none.jar"]);
        check("-cp", &["."]);
        assert_eq!(entries_of(&[], Some("v.jar".into())), [PathBuf::from("v.jar")]);
    }
}
