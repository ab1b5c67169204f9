//! The file that loads the agent into the JVMs of a unit.

use super::files::Root;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// Options of an agent that looks for no controller: nobody but the administrator could make this folder. Such an
/// agent is dormant until `spl attach`.
pub const OPTIONS: &str = "spl.client.socket=/nonexistent/spl";
const FILE: &str = "50-spl-agent.conf";
const HEAD: &str = "# Written by spl enable; spl disable takes it back. At the next start the JVMs load the agent, dormant.\n";
/// In the file when the folder was made for it.
const WITH_FOLDER: &str = "# Its folder was made for it.\n";
/// Largest file that can be ours, in bytes.
const MOST_BYTES: u64 = 16_384;

/// Where it is.
#[derive(Debug)]
pub struct Dropin(PathBuf);

impl Dropin {
    /// That of a unit; with `runtime` it lasts until the machine's next start.
    pub fn new(name: &str, runtime: bool) -> Self {
        let folder = if runtime { "/run/systemd/system" } else { "/etc/systemd/system" };
        Self(Path::new(folder).join(format!("{name}.d")).join(FILE))
    }

    /// Its path in that system.
    pub fn path(&self) -> PathBuf {
        self.0.clone()
    }

    /// Its path for messages.
    pub fn shown(&self, root: &Root) -> String {
        root.within(&self.0).display().to_string()
    }

    /// Whether there is such a file, or anything else in its place.
    pub fn is_there(&self, root: &Root) -> bool {
        fs::symlink_metadata(root.within(&self.0)).is_ok()
    }

    /// Text about a file that is there already.
    ///
    /// # Errors
    /// When it is another one than would be written.
    pub fn compare(&self, root: &Root, library: &Path) -> Result<String, String> {
        let shown = self.shown(root);
        let found = self.text(root)?;
        if [true, false].iter().any(|made| text(library, *made) == found) {
            return Ok(format!("{shown} is there already; nothing was changed"));
        }
        Err(format!("{shown} is there with another content: spl disable takes it back, or remove it by hand"))
    }

    /// Writes it whole or not at all.
    ///
    /// # Errors
    /// When the system's files can only be read, or there is no right or room to write.
    pub fn write(&self, root: &Root, library: &Path) -> Result<(), String> {
        let path = root.within(&self.0);
        let folder = path.parent().unwrap_or(&path);
        let made = !folder.exists();
        let cannot = |error: io::Error| {
            let kind = error.kind();
            let remedy = if kind == ErrorKind::ReadOnlyFilesystem {
                "--runtime writes it to /run, until the machine's next start"
            } else if kind == ErrorKind::PermissionDenied {
                "it needs the rights of root"
            } else {
                "nothing was changed"
            };
            format!("cannot write {}: {error}: {remedy}", path.display())
        };
        if made {
            DirBuilder::new().recursive(true).mode(0o755).create(folder).map_err(cannot)?;
        }
        // systemd reads only names that end in .conf, so it sees no half of a file.
        let part = path.with_extension("part");
        let write = || {
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o644).open(&part)?;
            file.write_all(text(library, made).as_bytes())?;
            file.sync_all()?;
            fs::rename(&part, &path)
        };
        write().map_err(|error| {
            // No part of the attempt must stay.
            let _ = fs::remove_file(&part);
            if made {
                let _ = fs::remove_dir(folder);
            }
            cannot(error)
        })
    }

    /// Removes it, and its folder if that was made for it and has nothing else. Gives whether it was there.
    ///
    /// # Errors
    /// When it is not as it was written, or cannot be removed.
    pub fn remove(&self, root: &Root) -> Result<bool, String> {
        if !self.is_there(root) {
            return Ok(false);
        }
        let path = root.within(&self.0);
        let found = self.text(root)?;
        let made = found.contains(WITH_FOLDER);
        let library = library_in(&found);
        if library.is_none_or(|library| text(Path::new(library), made) != found) {
            return Err(format!("{} is not as spl enable wrote it: remove it by hand", path.display()));
        }
        fs::remove_file(&path).map_err(|error| format!("cannot remove {}: {error}", path.display()))?;
        if let Some(folder) = path.parent().filter(|_| made) {
            // A folder with other files stays.
            let _ = fs::remove_dir(folder);
        }
        Ok(true)
    }

    fn text(&self, root: &Root) -> Result<String, String> {
        let path = root.within(&self.0);
        let bytes = spl_classes::regular::read(&path, MOST_BYTES)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// The file's content.
fn text(library: &Path, with_folder: bool) -> String {
    let folder = if with_folder { WITH_FOLDER } else { "" };
    let library = library.display();
    format!("{HEAD}{folder}[Service]\nEnvironment=JAVA_TOOL_OPTIONS=-agentpath:{library}={OPTIONS}\n")
}

fn library_in(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("-agentpath:")?;
    rest.split_once('=').map(|(library, _)| library)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_changed_is_not_removed() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::new(folder.path()).unwrap();
        let dropin = Dropin::new("a.service", false);
        let library = Path::new("/usr/lib/spl/libspl_agent.so");
        assert!(!dropin.remove(&root).unwrap());
        dropin.write(&root, library).unwrap();
        let path = root.within(&dropin.path());
        let written = fs::read_to_string(&path).unwrap();
        for changed in
            [format!("{written}#\n"), written.replace("50", "60"), String::new(), written.replace('=', "")]
        {
            if changed != written {
                fs::write(&path, &changed).unwrap();
                assert!(dropin.remove(&root).unwrap_err().contains("by hand"));
                assert_eq!(fs::read_to_string(&path).unwrap(), changed);
            }
        }
        fs::write(&path, written).unwrap();
        assert!(dropin.remove(&root).unwrap());
        assert!(!path.parent().unwrap().exists());
    }
}
