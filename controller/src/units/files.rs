//! The root folder, and the unit's files in it.

use spl_classes::regular;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Folders of units, the first beats the others (systemd.unit(5)).
const FOLDERS: [&str; 7] = [
    "etc/systemd/system",
    "run/systemd/system",
    "run/systemd/generator",
    "usr/local/lib/systemd/system",
    "usr/lib/systemd/system",
    "lib/systemd/system",
    "run/systemd/generator.late",
];
/// Largest file that is read, in bytes.
const MOST_BYTES: u64 = 1 << 20;
/// Most files of a folder of drop-ins.
const MOST_FILES: usize = 1_000;
/// Links that lead to a unit's file, at most.
const MOST_LINKS: usize = 8;
/// Longest name of a unit, in bytes (systemd.unit(5)).
const LONGEST_NAME: usize = 255;
const SUFFIX: &str = ".service";

/// The root folder of the system that is changed.
#[derive(Debug)]
pub struct Root(PathBuf);

/// A unit's file.
#[derive(Debug)]
pub struct File {
    /// Its place in the root folder.
    pub path: PathBuf,
    /// Its content.
    pub text: String,
}

impl Root {
    /// Opens it.
    ///
    /// # Errors
    /// When it is not a folder.
    pub fn new(path: &Path) -> Result<Self, String> {
        let wrong = |why: String| format!("--root {}: {why}: name the folder of a system", path.display());
        let found = fs::canonicalize(path).map_err(|error| wrong(error.to_string()))?;
        if found.is_dir() { Ok(Self(found)) } else { Err(wrong("it is not a folder".to_owned())) }
    }

    /// Whether this is the system that runs.
    pub fn is_this_system(&self) -> bool {
        self.0 == Path::new("/")
    }

    /// A path of that system as a path of this one. Links below the root folder are followed within it.
    pub fn within(&self, path: &Path) -> PathBuf {
        let mut at = self.0.clone();
        let mut links = 0;
        let mut left: Vec<_> = parts(path);
        left.reverse();
        while let Some(part) = left.pop() {
            if part == ".." {
                if at != self.0 {
                    at.pop();
                }
                continue;
            }
            let next = at.join(&part);
            match fs::read_link(&next) {
                Ok(target) if links < MOST_LINKS * 4 => {
                    links += 1;
                    if target.is_absolute() {
                        at.clone_from(&self.0);
                    }
                    let mut more = parts(&target);
                    more.reverse();
                    left.extend(more);
                }
                _ => at = next,
            }
        }
        at
    }
}

fn parts(path: &Path) -> Vec<std::ffi::OsString> {
    let named = path.components().filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
    named.map(|part| part.as_os_str().to_owned()).collect()
}

/// The whole name of a service.
///
/// # Errors
/// When it cannot be one.
pub fn name_of(text: &str) -> Result<String, String> {
    let name = if text.contains('.') && !text.ends_with('.') && suffix(text).is_some() {
        text.to_owned()
    } else {
        format!("{text}{SUFFIX}")
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || ":-_.\\@".contains(c);
    if !name.ends_with(SUFFIX) {
        return Err(format!("{text} is not a service: only services can have a JVM"));
    }
    let stem = name.trim_end_matches(SUFFIX);
    if stem.is_empty() || stem.starts_with('.') || name.len() > LONGEST_NAME || !name.chars().all(plain) {
        return Err(format!(
            "{text:?} is not the name of a unit: write it as systemctl shows it, as in shop.service"
        ));
    }
    Ok(name)
}

/// The kind of a unit that a name has.
fn suffix(name: &str) -> Option<&str> {
    const KINDS: [&str; 11] = [
        "service",
        "socket",
        "device",
        "mount",
        "automount",
        "swap",
        "target",
        "path",
        "timer",
        "slice",
        "scope",
    ];
    name.rsplit_once('.').map(|(_, kind)| kind).filter(|kind| KINDS.contains(kind))
}

/// A unit's name and, if it is an instance, that of its template.
fn names(name: &str) -> Vec<String> {
    let template = name.split_once('@').map(|(start, _)| format!("{start}@{SUFFIX}"));
    let template = template.filter(|template| template != name);
    std::iter::once(name.to_owned()).chain(template).collect()
}

/// The unit's file and its drop-ins in the order in which systemd reads them, but for the drop-in `except`.
///
/// # Errors
/// When there is no such unit, or a file cannot be read.
pub fn of(root: &Root, name: &str, except: &Path) -> Result<Vec<File>, String> {
    let mut files = vec![fragment(root, name)?];
    let mut folders: Vec<String> = names(name).iter().map(|name| format!("{name}.d")).collect();
    // foo-bar.service has the drop-ins of foo-.service, and each service those of all.
    let stem = name.trim_end_matches(SUFFIX);
    folders.extend(stem.match_indices('-').map(|(at, _)| format!("{}{SUFFIX}.d", &stem[..=at])));
    folders.push("service.d".to_owned());
    let mut dropins: Vec<(std::ffi::OsString, PathBuf)> = Vec::new();
    for folder in FOLDERS {
        for dropins_of in &folders {
            let within = root.within(&Path::new(folder).join(dropins_of));
            let Ok(entries) = fs::read_dir(&within) else { continue };
            for entry in entries.flatten().take(MOST_FILES) {
                let file = entry.file_name();
                let is_new = !dropins.iter().any(|(name, _)| *name == file);
                if is_new && Path::new(&file).extension().is_some_and(|end| end == "conf") {
                    dropins.push((file.clone(), Path::new("/").join(folder).join(dropins_of).join(file)));
                }
            }
        }
    }
    dropins.sort();
    for (_, path) in dropins.into_iter().filter(|(_, path)| path != except) {
        if root.within(&path) != Path::new("/dev/null") {
            files.push(read(root, path)?);
        }
    }
    Ok(files)
}

/// The files with settings for all services (systemd-system.conf(5)).
///
/// # Errors
/// When one of them cannot be read.
pub fn of_manager(root: &Root) -> Result<Vec<File>, String> {
    let mut paths = vec![PathBuf::from("/etc/systemd/system.conf")];
    for folder in
        ["/usr/lib/systemd/system.conf.d", "/run/systemd/system.conf.d", "/etc/systemd/system.conf.d"]
    {
        let Ok(entries) = fs::read_dir(root.within(Path::new(folder))) else { continue };
        let names = entries.flatten().take(MOST_FILES).map(|entry| entry.file_name());
        paths.extend(names.map(|name| Path::new(folder).join(name)));
    }
    let is_there =
        |path: &PathBuf| path.extension().is_some_and(|end| end == "conf") && root.within(path).is_file();
    paths.into_iter().filter(is_there).map(|path| read(root, path)).collect()
}

fn fragment(root: &Root, name: &str) -> Result<File, String> {
    for name in names(name) {
        for folder in FOLDERS {
            let path = Path::new("/").join(folder).join(&name);
            let found = root.within(&path);
            if found.ends_with("dev/null") {
                return Err(format!("{name} is masked: systemctl unmask {name}"));
            }
            if !found.is_file() {
                continue;
            }
            let target = found.file_name().map(|name| name.to_string_lossy().into_owned());
            if let Some(target) = target.filter(|target| *target != name && !names(&name).contains(target)) {
                return Err(format!("{name} is another name of {target}: name that one"));
            }
            return read(root, path);
        }
    }
    let places = FOLDERS.map(|folder| format!("/{folder}")).join(", ");
    Err(format!(
        "there is no unit {name} in {places}: systemctl list-unit-files shows the names; for a program without a unit there is spl client"
    ))
}

/// Reads a file of that system.
///
/// # Errors
/// When it cannot be read, is large, or is not a text.
pub fn read(root: &Root, path: PathBuf) -> Result<File, String> {
    let wrong = |why: String| format!("cannot read {}: {why}", path.display());
    let bytes = regular::read(&root.within(&path), MOST_BYTES).map_err(|error| wrong(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| wrong("it is not a text in UTF-8".to_owned()))?;
    Ok(File { path, text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn names_are_those_of_services() {
        assert_eq!(name_of("shop").unwrap(), "shop.service");
        assert_eq!(name_of("shop.service").unwrap(), "shop.service");
        assert_eq!(name_of("a.b").unwrap(), "a.b.service");
        assert_eq!(name_of("shop@1.service").unwrap(), "shop@1.service");
        for wrong in
            ["shop.timer", "", ".service", "../etc/shop", "a b", "a\n", &"x".repeat(300), "..service"]
        {
            assert!(name_of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn links_stay_within_the_root_folder() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::new(folder.path()).unwrap();
        let at = |path: &str| fs::canonicalize(folder.path()).unwrap().join(path);
        fs::create_dir(at("etc")).unwrap();
        symlink("/lib/real", at("etc/one")).unwrap();
        symlink("../../../../lib/real", at("etc/two")).unwrap();
        symlink("loop", at("etc/loop")).unwrap();
        assert_eq!(root.within(Path::new("/etc/one")), at("lib/real"));
        assert_eq!(root.within(Path::new("/etc/two")), at("lib/real"));
        assert_eq!(root.within(Path::new("/../../etc/passwd")), at("etc/passwd"));
        root.within(Path::new("/etc/loop"));
        assert!(Root::new(&at("none")).is_err());
    }
}
