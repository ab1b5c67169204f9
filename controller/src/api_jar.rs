//! `spl api-jar`: the interfaces of size processors, to compile against.

use crate::cli::ApiJar;
use crate::stdout;
use serde::Serialize;
use spl_session::files::write_whole;
use spl_verdict::ExitStatus;
use std::io::{self, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

macro_rules! interface {
    ($name:literal) => {
        [
            (
                concat!("spl/size/", $name, ".class"),
                include_bytes!(concat!(env!("OUT_DIR"), "/java/spl/size/", $name, ".class")).as_slice(),
            ),
            (
                concat!("spl/size/", $name, ".java"),
                include_bytes!(concat!("../../agent/java/spl/size/", $name, ".java")).as_slice(),
            ),
        ]
    };
}

/// Class files for Java 11 and later, and their sources, from which development environments show the
/// documentation.
static INTERFACES: [[(&str, &[u8]); 2]; 5] = [
    interface!("Computable"),
    interface!("MethodSize"),
    interface!("ScaleBase"),
    interface!("SizeAggregator"),
    interface!("SizeProcessor"),
];
const PACKAGE: (&str, &[u8]) =
    ("spl/size/package-info.java", include_bytes!("../../agent/java/spl/size/package-info.java"));
const MANIFEST: (&str, &[u8]) = ("META-INF/MANIFEST.MF", b"Manifest-Version: 1.0\r\n\r\n");

/// Writes the JAR.
///
/// # Errors
/// When it cannot be written, as text for the operator.
pub fn api_jar(arguments: &ApiJar) -> Result<ExitStatus, String> {
    let path = &arguments.output;
    let wrong = |error: io::Error| format!("cannot write {}: {error}", path.display());
    let bytes = jar().map_err(|error| wrong(error.into()))?;
    write_whole(path, &bytes).map_err(wrong)?;
    if arguments.json {
        let (file, entries) = (path.display().to_string(), entries().map(|(name, _)| *name).collect());
        let written = Written { schema: "spl.api-jar/1", file, entries };
        stdout::print_json(&written)?;
    } else {
        stdout::print(&format!(
            "the interfaces of size processors (package spl.size): {}\n",
            path.display()
        ))?;
    }
    Ok(ExitStatus::AllHold)
}

/// The document of `--json` (`docs/schema/api-jar-1.json`).
#[derive(Serialize)]
struct Written {
    schema: &'static str,
    file: String,
    entries: Vec<&'static str>,
}

/// Name and content of each entry; the manifest must be the first.
fn entries() -> impl Iterator<Item = &'static (&'static str, &'static [u8])> {
    static BEFORE: [(&str, &[u8]); 2] = [MANIFEST, PACKAGE];
    BEFORE.iter().chain(INTERFACES.as_flattened())
}

fn jar() -> zip::result::ZipResult<Vec<u8>> {
    let mut jar = ZipWriter::new(io::Cursor::new(Vec::new()));
    for (name, bytes) in entries() {
        jar.start_file(*name, SimpleFileOptions::default())?;
        jar.write_all(bytes)?;
    }
    Ok(jar.finish()?.into_inner())
}
