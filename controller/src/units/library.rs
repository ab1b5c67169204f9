//! Whether a library can be the agent of a service: before the JVM of the service finds out.

use super::files::Root;
use spl_classes::regular;
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

/// Numbers of processors in the head of a library (`e_machine`, elf(5)), with their names.
const PROCESSORS: [(u16, &str); 6] =
    [(62, "x86_64"), (183, "aarch64"), (3, "x86"), (40, "arm"), (243, "riscv64"), (21, "powerpc64")];
/// Number of bytes of the head up to the processor.
const HEAD: usize = 20;

/// Checks the library: its path can stand in an option, it is a library for this processor, every user may read it and no one
/// but its owner may change it.
///
/// # Errors
/// The reason and the remedy.
pub fn check(root: &Root, library: &Path) -> Result<(), String> {
    let shown = library.display().to_string();
    // The JVM ends an option at white space, and the library's path at the first =; systemd reads % and \.
    let plain = |c: char| !c.is_whitespace() && !c.is_control() && !"=%\\\"'$,".contains(c);
    if !library.is_absolute() || !shown.chars().all(plain) || library.to_str().is_none() {
        return Err(format!(
            "the path of the agent library {shown:?} cannot stand in a unit: name an absolute path without spaces and signs, such as /usr/lib/spl/libspl_agent.so"
        ));
    }
    let wrong = |why: &str, remedy: &str| Err(format!("the agent library {shown} {why}: {remedy}"));
    let mut head = [0; HEAD];
    let opened = regular::open(&root.within(library)).and_then(|mut file| {
        let found = file.metadata()?;
        file.read_exact(&mut head)?;
        Ok(found)
    });
    let found = match opened {
        Ok(found) => found,
        Err(error) => return wrong(&format!("cannot be read ({error})"), "name it with --agent FILE"),
    };
    if head[..4] != *b"\x7fELF" {
        return wrong("is not a library", "use the libspl_agent.so that came with this spl");
    }
    let ours = std::env::consts::ARCH;
    let processor = u16::from_le_bytes([head[18], head[19]]);
    let name = PROCESSORS
        .iter()
        .find(|(number, _)| *number == processor)
        .map_or("another processor", |(_, name)| name);
    if root.is_this_system() && (name != ours || head[4] != 2) {
        return wrong(
            &format!("is for {name}"),
            &format!("use the package for {ours}, this machine's processor"),
        );
    }
    let mode = found.permissions().mode();
    if mode & 0o004 == 0 {
        return wrong("cannot be read by every user, so not by the service's", "chmod o+r");
    }
    if root.is_this_system() && found.uid() == 0 && mode & 0o022 != 0 {
        return wrong(
            "can be changed by others than its owner",
            "chmod go-w: its code would run in the service",
        );
    }
    Ok(())
}
