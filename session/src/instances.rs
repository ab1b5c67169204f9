//! `instances.json`: the JVMs of a run that measures several at once, and how they differ.

use crate::files::write_whole;
use crate::sequential::Sequential;
use crate::setup::Setup;
use spl_records::{InstancesFile, OfClaim};
use std::path::Path;

/// Name of the file, which lies in the folder of the results.
pub const FILE: &str = "instances.json";

/// Origin of a JVM's samples. One JVM after the other is one series; of several at once each is a sample.
pub fn origin(pid: u32, instance: &str, several: bool) -> String {
    if several { format!("{instance}:{pid}") } else { pid.to_string() }
}

/// The document of a run's last looks.
pub fn document(setup: &Setup, sequential: &Sequential) -> InstancesFile {
    let program = &setup.program;
    let comparisons = program.tasks.comparisons.iter().map(|one| program.tasks.line_of(one));
    let texts = comparisons.chain(program.assertions.iter().map(|one| one.title.clone()));
    // Few windows may decide a claim before an instance with few calls is known.
    let claim = |(index, text)| Some(OfClaim::new(index + 1, text, &sequential.instances_by_now(index)?));
    InstancesFile {
        instances: sequential.instances().map(str::to_owned).collect(),
        claims: texts.enumerate().filter_map(claim).collect(),
    }
}

/// Writes the file next to the results.
///
/// # Errors
/// When writing fails; one line of text.
pub fn write(result_file: &Path, document: &InstancesFile) -> Result<(), String> {
    let path = result_file.with_file_name(FILE);
    write_whole(&path, document.to_json().as_bytes())
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}
