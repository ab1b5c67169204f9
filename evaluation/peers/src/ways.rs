//! The other tools, each with the lightest settings that still record the time of every call.

use crate::tools::{Jdk, Tools, here, root, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The methods that are measured, in the words of each tool.
const SPL_METHODS: [&str; 3] = ["peers/Probed.tiny(J)J", "peers/Probed.busy(J)J", "peers/Probed.nested(JI)J"];
/// Where Debian's package puts it.
const JAVASSIST: &str = "/usr/share/java/javassist.jar";
/// The pause of the re-created design between two looks at its messages, milliseconds: the thesis's default.
const CYCLE_SLEEP_MS: u32 = 100;

/// The recording of the JVM's flight recorder, which requires this ending.
const RECORDING: &str = "received.jfr";

/// A tool and how to run it.
#[derive(Clone, Debug)]
pub struct Way {
    /// Its name in tables.
    pub name: &'static str,
    /// The JVM.
    pub jdk: Jdk,
    /// Whether the time of each call is recorded, or only sums.
    pub each_call: bool,
    /// The JVM's arguments before the program's class.
    pub arguments: Vec<String>,
    counted: Counted,
}

/// How is found what it recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counted {
    /// Code of ours in it wrote the number into a file.
    File,
    /// Events of a recording.
    Events,
    /// Calls by the events of a recording.
    Invocations,
}

/// Compiled programs and agents, in a folder of their own.
#[derive(Debug)]
pub struct Built {
    folder: TempDir,
}

impl Built {
    /// Compiles everything.
    ///
    /// # Errors
    /// When a compiler refuses or something is missing.
    pub fn new(tools: &Tools) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|e| format!("cannot make a folder: {e}"))?;
        let built = Self { folder };
        let java = here().join("java");
        tools.compile(
            &java.join("peers"),
            &tools.jar("kieker-aspectj.jar"),
            &built.path("classes"),
            &["-proc:none"],
        )?;
        built.weave_aspect(tools)?;
        built.pack_extension(tools, &java)?;
        built.pack_recreated(tools)?;
        Ok(built)
    }

    /// A file or folder in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn write(&self, name: &str, text: &str) -> Result<(), String> {
        let path = self.path(name);
        let parent = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, text))
            .map_err(|e| format!("{}: {e}", path.display()))
    }

    fn jar(&self, name: &str, classes: &str, more: &[&str]) -> Result<(), String> {
        let mut jar = Command::new("jar");
        jar.arg("--create")
            .arg("--file")
            .arg(self.path(name))
            .args(more)
            .arg("-C")
            .arg(self.path(classes))
            .arg(".");
        run(&mut jar).map(drop)
    }

    fn weave_aspect(&self, tools: &Tools) -> Result<(), String> {
        let classpath = format!("{}:{}", self.text("classes"), tools.jar("aspectjweaver.jar"));
        let mut compiler = Command::new(&tools.java);
        compiler.args([
            "-cp",
            &tools.jar("aspectjtools.jar"),
            "org.aspectj.tools.ajc.Main",
            "--release",
            "11",
        ]);
        compiler
            .args(["-cp", &classpath, "-d"])
            .arg(self.path("aspect"))
            .arg(here().join("java/peers/Around.aj"));
        run(&mut compiler).map(drop)
    }

    fn pack_extension(&self, tools: &Tools, java: &Path) -> Result<(), String> {
        let service = "io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizerProvider";
        tools.compile(
            &java.join("opentelemetry"),
            &tools.jar("*"),
            &self.path("extension"),
            &["-proc:none"],
        )?;
        self.write(&format!("extension/META-INF/services/{service}"), "opentelemetry.SpanCounter\n")?;
        self.jar("extension.jar", "extension", &[])
    }

    /// The thesis's design, from the evaluation of sorting. Its recorder has to be on the boot class path.
    fn pack_recreated(&self, tools: &Tools) -> Result<(), String> {
        let sources = root().join("evaluation/sorting/java/recreated");
        tools.compile(&sources, JAVASSIST, &self.path("recreated"), &["-XDstringConcat=inline"])?;
        let manifest = "Premain-Class: recreated.Agent\nCan-Retransform-Classes: true\n";
        self.write("manifest", &format!("{manifest}Boot-Class-Path: recreated.jar {JAVASSIST}\n"))?;
        self.write("recreated.tasks", &(SPL_METHODS.join("\n") + "\n"))?;
        self.jar("recreated.jar", "recreated", &["--manifest", &self.text("manifest")])
    }

    /// All other tools.
    pub fn ways(&self, tools: &Tools) -> Vec<Way> {
        vec![
            self.aspectj(tools),
            self.byteman(tools),
            self.kieker(tools),
            self.opentelemetry(tools),
            self.recreated(),
            self.jfr_trace(),
            self.jfr_timing(),
        ]
    }

    fn way(&self, name: &'static str, options: &[String]) -> Way {
        let mut arguments = vec![format!("-Dpeers.received={}", self.text("received"))];
        arguments.extend_from_slice(options);
        arguments.extend(["-cp".to_owned(), format!("{}:{}", self.text("classes"), self.text("aspect"))]);
        Way { name, jdk: Jdk::Installed, each_call: true, arguments, counted: Counted::File }
    }

    fn byteman(&self, tools: &Tools) -> Way {
        let script = here().join("byteman.btm").display().to_string();
        let agent = format!("-javaagent:{}=script:{script}", tools.jar("byteman.jar"));
        // Rules are interpreted otherwise.
        self.way("Byteman", &["-Dorg.jboss.byteman.compile.to.bytecode=true".to_owned(), agent])
    }

    fn aspectj(&self, tools: &Tools) -> Way {
        let agent = format!("-javaagent:{}", tools.jar("aspectjweaver.jar"));
        self.way("AspectJ", &[woven("aspectj.xml"), agent])
    }

    fn kieker(&self, tools: &Tools) -> Way {
        const QUEUE: &str = "kieker.monitoring.queue";
        let controller = |key: &str, value: &str| {
            format!("-Dkieker.monitoring.core.controller.WriterController.{key}={value}")
        };
        let options = [
            "-Dkieker.monitoring.skipDefaultAOPConfiguration=true".to_owned(),
            woven("kieker.xml"),
            "-Dkieker.monitoring.writer=peers.KiekerWriter".to_owned(),
            // Its writer's thread never sleeps then, which would have each burst wake it; without them a call takes 1.2 µs.
            controller("QueuePutStrategy", &format!("{QUEUE}.putstrategy.YieldPutStrategy")),
            controller("QueueTakeStrategy", &format!("{QUEUE}.takestrategy.YieldTakeStrategy")),
            controller("RecordQueueSize", "100000"),
            format!("-javaagent:{}", tools.jar("kieker-aspectj.jar")),
        ];
        self.way("Kieker", &options)
    }

    fn opentelemetry(&self, tools: &Tools) -> Way {
        let settings = [
            "javaagent.logging=none",
            "traces.exporter=none",
            "metrics.exporter=none",
            "logs.exporter=none",
            "instrumentation.common.default-enabled=false",
            "instrumentation.methods.enabled=true",
            "instrumentation.methods.include=peers.Probed[tiny,busy,nested]",
        ];
        let mut options = settings.map(|setting| format!("-Dotel.{setting}")).to_vec();
        options.push(format!("-Dotel.javaagent.extensions={}", self.text("extension.jar")));
        options.push(format!("-javaagent:{}", tools.jar("opentelemetry-javaagent.jar")));
        self.way("OpenTelemetry", &options)
    }

    fn recreated(&self) -> Way {
        let tasks = self.text("recreated.tasks");
        let agent = format!("{}={tasks},0,{CYCLE_SLEEP_MS},{}", self.text("recreated.jar"), i32::MAX);
        // Byteman looks for classes where its recorder has to be, on the boot class path.
        let classes = format!("-Xbootclasspath/a:{}", self.text("classes"));
        self.way("thesis's design, re-created", &[classes, format!("-javaagent:{agent}")])
    }

    fn jfr(&self, name: &'static str, settings: &str, counted: Counted) -> Way {
        let recording =
            format!("-XX:StartFlightRecording:settings=none,filename={},{settings}", self.text(RECORDING));
        let repository = format!("-XX:FlightRecorderOptions:repository={}", self.text("repository"));
        // The flight recorder would say on standard output that it records.
        let quiet = "-Xlog:disable".to_owned();
        let way = self.way(name, &[recording, repository, quiet]);
        Way { jdk: Jdk::Jdk25, each_call: counted == Counted::Events, counted, ..way }
    }

    fn jfr_timing(&self) -> Way {
        let settings = "+jdk.MethodTiming#enabled=true,+jdk.MethodTiming#filter=peers.Probed";
        self.jfr("JFR method timing", settings, Counted::Invocations)
    }

    fn jfr_trace(&self) -> Way {
        let settings = "+jdk.MethodTrace#enabled=true,+jdk.MethodTrace#filter=peers.Probed,\
            +jdk.MethodTrace#threshold=0ns,+jdk.MethodTrace#stackTrace=false";
        self.jfr("JFR method tracing", settings, Counted::Events)
    }

    /// Number of calls that the tool that ran last has recorded.
    ///
    /// # Errors
    /// When it has left nothing, or something else.
    pub fn recorded(&self, tools: &Tools, way: &Way) -> Result<u64, String> {
        let file = self.path(if way.counted == Counted::File { "received" } else { RECORDING });
        let mut jfr = Command::new(tools.jdk25.join("bin/jfr"));
        let number = match way.counted {
            Counted::File => fs::read_to_string(&file).ok().and_then(|text| text.parse().ok()),
            Counted::Events => events(&run(jfr.arg("summary").arg(&file))?),
            Counted::Invocations => {
                Some(invocations(&run(jfr.args(["print", "--events", "jdk.MethodTiming"]).arg(&file))?))
            }
        };
        let _ = fs::remove_file(&file);
        number.ok_or_else(|| format!("{} left no number of what it recorded", way.name))
    }
}

/// The probed methods, as task files write them.
pub const fn spl_methods() -> [&'static str; 3] {
    SPL_METHODS
}

fn woven(file: &str) -> String {
    format!("-Dorg.aspectj.weaver.loadtime.configuration=file:{}", here().join(file).display())
}

/// The number of method traces in a summary's table: `jdk.MethodTrace COUNT BYTES`.
fn events(summary: &str) -> Option<u64> {
    let line = summary.lines().find(|line| line.trim_start().starts_with("jdk.MethodTrace "))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The sum of the last number of invocations of each method.
fn invocations(events: &str) -> u64 {
    let mut last = std::collections::BTreeMap::new();
    let mut method = "";
    for line in events.lines() {
        match line.trim().split_once(" = ") {
            Some(("method", name)) => method = name,
            Some(("invocations", number)) => {
                last.insert(method, number.parse().unwrap_or(0));
            }
            _ => {}
        }
    }
    last.values().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_says_how_many_calls_it_has() {
        let summary = " Event Type      Count  Size (bytes) \n jdk.MethodTrace    5850   89158 \n jdk.MethodTiming 4 105\n";
        assert_eq!(events(summary), Some(5850));
        assert_eq!(events(" jdk.MethodTiming 4 105\n"), None);
        let timed = "jdk.MethodTiming {\n  method = A.a(long)\n  invocations = 3\n}\njdk.MethodTiming {\n  \
            method = A.b()\n  invocations = 4\n}\njdk.MethodTiming {\n  method = A.a(long)\n  invocations = 10\n}\n";
        assert_eq!(invocations(timed), 14);
    }
}
