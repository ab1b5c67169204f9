//! `spl instrument`: the classes as the agent would install them, for inspection.

mod signature;

use crate::cli::Instrument;
use crate::stdout;
use serde::Serialize;
use spl_bytecode::{Plan, Probe, inspect};
use spl_lang::RunMode;
use spl_lang::ast::{MethodPattern, MethodTerm};
use spl_model::{InstrumentId, MethodRef, ProbeKind, Sizing};
use spl_session::files::write_whole;
use spl_verdict::ExitStatus;
use std::fs;
use std::io::{self, Read, Write};
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// First bytes of every class file (JVMS 4.1).
const CLASS_MAGIC: [u8; 4] = [0xca, 0xfe, 0xba, 0xbe];

/// Writes a class file or a JAR with probes in its methods, and lists the refused methods.
///
/// # Errors
/// When nothing could be written, as text for the operator.
pub fn instrument(arguments: &Instrument) -> Result<ExitStatus, String> {
    let sizing = match &*arguments.argument_size {
        "nocheck" => Sizing::None,
        "sizeof" => Sizing::Shallow,
        "length" => Sizing::Length,
        _ => Sizing::Deep,
    };
    let (wanted, unsign) = (wanted(&arguments.methods)?, arguments.unsign);
    let mut work = Work { wanted, sizing, unsign, methods: Vec::new(), is_unsigned: false };
    let input = &arguments.input;
    let bytes = fs::read(input).map_err(|e| format!("cannot read {}: {e}", input.display()))?;
    let output = if bytes.starts_with(&CLASS_MAGIC) {
        work.class(&bytes).map_err(|why| format!("{}: {why}", input.display()))?
    } else {
        work.jar(bytes).map_err(|why| format!("{}: {why}", input.display()))?
    };
    if work.methods.is_empty() {
        return Err(format!(
            "{} has no method that {} means; nothing was written",
            input.display(),
            arguments.methods
        ));
    }
    write_whole(&arguments.output, &output)
        .map_err(|e| format!("cannot write {}: {e}", arguments.output.display()))?;
    let refused = work.methods.iter().filter(|method| method.refused.is_some()).count();
    let instrumented = work.methods.len() - refused;
    let written = Written {
        schema: "spl.instrument/1",
        output: arguments.output.display().to_string(),
        instrumented,
        refused,
        unsigned: work.is_unsigned,
        methods: work.methods,
    };
    if arguments.json {
        stdout::print_json(&written)?;
    } else {
        stdout::print(&written.to_string())?;
    }
    Ok(if instrumented > 0 { ExitStatus::AllHold } else { ExitStatus::Error })
}

/// The document of `--json` (`docs/schema/instrument-1.json`).
#[derive(Serialize)]
struct Written {
    schema: &'static str,
    output: String,
    instrumented: usize,
    refused: usize,
    /// Whether the input was signed and the output is not.
    unsigned: bool,
    methods: Vec<JsonMethod>,
}

#[derive(Serialize)]
struct JsonMethod {
    method: String,
    /// Reason why it has no probes.
    refused: Option<String>,
    /// Whether it is over HotSpot's limit for compilation.
    large: bool,
}

/// Text for the operator about each method, and a line of totals.
impl std::fmt::Display for Written {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for JsonMethod { method, refused, large } in &self.methods {
            if let Some(why) = refused {
                writeln!(f, "{method}: refused: {why}")?;
            } else if *large {
                writeln!(f, "{method}: over 8000 bytes with its probes, HotSpot will not compile it")?;
            }
        }
        if self.unsigned {
            writeln!(f, "{}: without the signature that the JAR had", self.output)?;
        }
        writeln!(f, "{} methods instrumented, {} refused: {}", self.instrumented, self.refused, self.output)
    }
}

/// The number in the probes, of a gate that the agent never opens. No call of a class from the output is
/// therefore recorded, and no number is beyond the agent's gates.
const NOT_MEASURED: InstrumentId = InstrumentId(0);
/// Pattern for every method.
const ALL: &str = "*";

/// One of the wanted methods.
enum Wanted {
    All,
    Exactly(MethodRef),
    Like(MethodPattern),
}

impl Wanted {
    fn is(&self, method: &MethodRef, annotations: &[String]) -> bool {
        match self {
            Self::All => true,
            Self::Exactly(wanted) => wanted == method,
            Self::Like(pattern) => pattern.matches(method) && pattern.allows_annotations(annotations),
        }
    }
}

/// The wanted methods, in the language of task files.
fn wanted(text: &str) -> Result<Vec<Wanted>, String> {
    if text.trim() == ALL {
        return Ok(vec![Wanted::All]);
    }
    let file = spl_lang::parse_file(text, RunMode::Measurement).map_err(|found| {
        let shown = found.iter().map(|one| one.render("--methods", text)).collect::<Vec<_>>();
        format!("the methods are not understood\n{}", shown.join("\n"))
    })?;
    let mut all = Vec::new();
    for statement in &file.statements {
        statement.value.for_each_target(&mut |target| {
            all.push(match &target.method.value {
                MethodTerm::Pattern(pattern) => Wanted::Like(pattern.clone()),
                MethodTerm::Exact(method) => Wanted::Exactly(method.clone()),
                MethodTerm::Name(_) => return,
            });
        });
    }
    Ok(all)
}

/// Most bytes of an unpacked class or library.
const MOST_BYTES: u64 = 1 << 29;

/// Place of an archive.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// The archive itself.
    Outer,
    /// A library in it.
    Library,
}

fn wrong(error: ZipError) -> String {
    format!("neither a class file nor a JAR: {error}")
}

fn is_signed<R: Read + io::Seek>(jar: &ZipArchive<R>) -> bool {
    jar.file_names().flatten().any(|name| signature::is_of_signature(&name))
}

struct Work {
    wanted: Vec<Wanted>,
    sizing: Sizing,
    /// Whether signatures may be removed.
    unsign: bool,
    methods: Vec<JsonMethod>,
    is_unsigned: bool,
}

impl Work {
    fn jar(&mut self, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
        let mut jar = ZipArchive::new(io::Cursor::new(bytes)).map_err(wrong)?;
        self.is_unsigned = is_signed(&jar);
        if self.is_unsigned && !self.unsign {
            return Err("the JAR is signed, and the JVM would refuse it with changed classes; write it without the signature \
                        with --unsign"
                .to_owned());
        }
        Ok(self.entries(&mut jar, self.is_unsigned, Level::Outer)?.0)
    }

    /// A library in the archive, with probes; `None` where no method is wanted, or the bytes are not an archive.
    fn library(&mut self, bytes: &[u8]) -> Result<Option<Vec<u8>>, String> {
        let Ok(mut jar) = ZipArchive::new(io::Cursor::new(bytes)) else { return Ok(None) };
        let is_signed = is_signed(&jar);
        let (new, has_changed) = self.entries(&mut jar, is_signed, Level::Library)?;
        if has_changed && is_signed && !self.unsign {
            return Err("this library is signed, and the JVM would refuse it with changed classes; write it without the \
                        signature with --unsign"
                .to_owned());
        }
        self.is_unsigned |= has_changed && is_signed;
        Ok(has_changed.then_some(new))
    }

    /// The archive with probes, without its signature if it has one, and whether a class of it was changed.
    fn entries<R: Read + io::Seek>(
        &mut self,
        jar: &mut ZipArchive<R>,
        is_signed: bool,
        level: Level,
    ) -> Result<(Vec<u8>, bool), String> {
        let mut out = ZipWriter::new(io::Cursor::new(Vec::new()));
        let mut has_changed = false;
        for index in 0..jar.len() {
            let mut entry = jar.by_index(index).map_err(wrong)?;
            let name = entry.name().map_err(wrong)?.into_owned();
            if is_signed && signature::is_of_signature(&name) {
                continue;
            }
            let (is_class, is_manifest) = (name.ends_with(".class"), signature::is_manifest(&name));
            let is_library = level == Level::Outer && spl_classes::is_library(&name);
            let (mut old, method) = (Vec::new(), entry.compression());
            if is_class || is_library || (is_manifest && is_signed) {
                entry
                    .by_ref()
                    .take(MOST_BYTES + 1)
                    .read_to_end(&mut old)
                    .map_err(|e| format!("{name}: {e}"))?;
            }
            if old.len() as u64 > MOST_BYTES {
                return Err(format!("{name}: it has more than {} MB when it is unpacked", MOST_BYTES >> 20));
            }
            drop(entry);
            let new = if old.is_empty() {
                None
            } else if is_class {
                // A library that the program never loads may have a file that only looks like a class.
                let passed_over = level == Level::Library && inspect(&old).is_err();
                (!passed_over)
                    .then(|| self.class(&old))
                    .transpose()
                    .map_err(|why| format!("{name}: {why}"))?
            } else if is_library {
                self.library(&old).map_err(|why| format!("{name}: {why}"))?
            } else {
                Some(signature::without_digests(&old))
            };
            match new.filter(|new| *new != old) {
                Some(new) => {
                    has_changed |= !is_manifest;
                    // Spring Boot reads libraries only where they are stored as they are.
                    let method = if is_library { method } else { CompressionMethod::default() };
                    let options = SimpleFileOptions::default().compression_method(method);
                    out.start_file(&name, options).map_err(wrong)?;
                    out.write_all(&new).map_err(|e| e.to_string())?;
                }
                None => out.raw_copy_file(jar.by_index_raw(index).map_err(wrong)?).map_err(wrong)?,
            }
        }
        Ok((out.finish().map_err(wrong)?.into_inner(), has_changed))
    }

    /// The class with probes in the wanted methods.
    fn class(&mut self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let class = inspect(bytes).map_err(|e| e.to_string())?;
        let mut plan = Plan::default();
        for method in &class.methods {
            let Ok(named) = MethodRef::new(&class.name, &method.name, &method.descriptor) else { continue };
            if self.wanted.iter().any(|wanted| wanted.is(&named, &method.annotations)) {
                let kind = ProbeKind::Times(self.sizing.clone());
                plan.add(Probe::new(&method.name, &method.descriptor, NOT_MEASURED, kind));
            }
        }
        let rewritten = spl_bytecode::instrument(bytes, &plan).map_err(|e| e.to_string())?;
        for (key, outcome) in &rewritten.outcomes {
            self.methods.push(JsonMethod {
                method: format!("{}.{}{}", class.name, key.name, key.descriptor),
                refused: outcome.as_ref().err().map(ToString::to_string),
                large: outcome.as_ref().is_ok_and(|report| report.large),
            });
        }
        Ok(rewritten.bytes)
    }
}
