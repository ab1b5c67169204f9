"""The programs, the ways to run them, and the command of a fork."""

import hashlib
import platform
import re
import shutil
import subprocess
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from chapter import ROOT

HERE = ROOT / "evaluation/drill"
JARS = ROOT / ".cache/drill"
# As async-profiler names it.
ARCHITECTURE = {"aarch64": "arm64"}.get(platform.machine(), "x64")
# Debian's packages of sunflow put them there.
DEBIAN = Path("/usr/share/java")
# The same heap for all: a collector that has no threads of its own, as there are two cores.
JVM = ["-XX:+UseSerialGC", "-Xms1g", "-Xmx1g", "-Djava.awt.headless=true"]


@dataclass(frozen=True)
class Program:
    """A workload: a class of java/bench, with the JARs that it needs."""

    name: str
    workload: str
    jars: tuple = ()
    # A turn in words.
    does: str = ""


APPLICATIONS = [
    Program("h2", "H2", ("h2.jar",), "a database in memory: inserts, joins, groups"),
    Program("lucene", "Lucene", ("lucene-core.jar",), "an index in memory is written and searched"),
    Program("ecj", "Ecj", ("ecj.jar",), "the compiler of Eclipse compiles commons-cli"),
    Program("xalan", "Xalan", ("xalan.jar", "serializer.jar"), "a stylesheet makes a page, interpreted"),
    Program("antlr", "Antlr", ("antlr4.jar", "antlr4-runtime.jar", "antlr-runtime.jar", "ST4.jar", "icu4j.jar", "org.abego.treelayout.core.jar"),
            "a grammar is analysed, a text parsed"),
    Program("jython", "Jython", ("jython-standalone.jar",), "Python: objects, generators, dictionaries"),
    Program("sunflow", "Sunflow", (DEBIAN / "sunflow.jar", DEBIAN / "janino.jar"), "a ray tracer, one thread"),
    Program("rhino", "Rhino", ("rhino.jar",), "JavaScript, interpreted"),
]
# A kernel and the same with counters by hand.
KERNELS = [
    Program("axpy", "Kernels$Axpy", does="a·x + y, in vector instructions"),
    Program("matrix", "Kernels$Matrix", does="a product of matrices"),
    Program("sieve", "Kernels$Sieve", does="the sieve of Eratosthenes"),
    Program("collatz", "Kernels$Collatz", does="divisions and a branch that nobody foresees"),
]
HELLO = Program("hello", "Hello")


@dataclass(frozen=True)
class Variant:
    """A way to run a program."""

    name: str
    # Options of `spl drill`; without them the program is run by itself.
    drill: tuple | None = None
    # Options of `spl metrics`, which then runs it.
    metrics: tuple | None = None
    # A word that the help of `spl drill` or of `spl metrics` has to have.
    needs: str = ""
    # Options of the JVM, with {agent}, {jars}, {built} and {work} for places.
    jvm: tuple = field(default=())
    # Whether it runs the kernel with counters written by hand.
    floor: bool = False


ALONE = Variant("alone")
VARIANTS = [
    ALONE,
    Variant("floor", floor=True),
    Variant("dormant", jvm=("-agentpath:{agent}=spl.client.socket={work}/nobody.sock",)),
    Variant("cover", drill=("--what", "cover", "--all"), needs="cover"),
    Variant("blocks", drill=("--all",)),
    Variant("blocks --counts shared", drill=("--all", "--counts", "shared"), needs="--counts"),
    Variant("blocks --jdk", drill=("--all", "--jdk")),
    Variant("calls", drill=("--what", "calls", "--all"), needs="calls"),
    Variant("calls --jdk", drill=("--what", "calls", "--all", "--jdk"), needs="calls"),
    Variant("receivers", drill=("--what", "receivers", "--all"), needs="receivers"),
    Variant("receivers --jdk", drill=("--what", "receivers", "--all", "--jdk"), needs="receivers"),
    Variant("metrics --sampled", metrics=("--sampled",), needs="--sampled"),
    # Allocations each 512 KiB and monitors, as above; JFR as its own profile sets it, with samples of stacks.
    Variant("async-profiler", jvm=("-agentpath:{built}/libasyncProfiler.so=start,alloc=512k,lock=10us,file={work}/profile.jfr",)),
    Variant("JFR", jvm=("-XX:StartFlightRecording:settings=profile,filename={work}/flight.jfr", "-Xlog:jfr*=off", "-Xlog:jfr+startup=off")),
    Variant("ended", drill=("--all", "--for", "4s")),
    Variant("JaCoCo", jvm=("-javaagent:{jars}/org.jacoco.agent-runtime.jar=destfile={work}/jacoco.exec",)),
    Variant("JBInsTrace", jvm=("-javaagent:{built}/jbinstrace.jar=weaver={weaver}",)),
    Variant("JBInsTrace --jdk", jvm=("-javaagent:{built}/jbinstrace.jar=jdk,weaver={weaver}",)),
]


class Tools:
    """The controller, the JVM, and what is built for the evaluation."""

    def __init__(self, spl, java, built):
        """`built` is an empty folder for classes and agents."""
        self.built = Path(built)
        self.spl, self.java = Path(ROOT, spl).resolve(), java
        help_text = "".join(subprocess.run([self.spl, word, "--help"], capture_output=True, text=True, check=True).stdout for word in ("drill", "metrics"))
        self.known = {v.name: v.needs in help_text for v in VARIANTS}

    def missing(self, program):
        """The first file that a program lacks."""
        return next((str(jar) for jar in program.jars if not Path(JARS, jar).exists()), None)

    def command(self, program, variant, arguments, work, agents=()):
        """The fork's command; `agents` are options that come after the variant's own."""
        weaver = ":".join(map(str, [self.built / "weaver", JARS / "asm.jar", JARS / "asm-tree.jar"]))
        places = {"agent": self.spl.with_name("libspl_agent.so"), "jars": JARS, "built": self.built, "work": work, "weaver": weaver}
        path = ":".join(map(str, [self.built / "classes", *(Path(JARS, jar) for jar in program.jars)]))
        main = ["bench.Hello"] if program is HELLO else ["bench.Bench", *arguments]
        options = [option.format(**places) for option in variant.jvm]
        java = [self.java, *options, *agents, *JVM, f"-Dsources={JARS}/commons-cli-sources.jar", "-cp", path, *main]
        if variant.metrics is not None:
            return [str(self.spl), "metrics", "-q", "--replace", "--out", f"{work}/out", *variant.metrics, "--", *java]
        if variant.drill is None:
            return java
        return [str(self.spl), "drill", "--replace", "--out", f"{work}/out", *variant.drill, "--", *java]

    def build(self):
        """Compiles the programs that are there, and the agents."""
        there = [p for p in APPLICATIONS if not self.missing(p)]
        names = ["Workload", "Bench", "Hello", "Kernels", *(p.workload for p in there)]
        path = ":".join(str(Path(JARS, jar)) for p in there for jar in p.jars)
        self.compile([HERE / f"java/bench/{name}.java" for name in names], path, "classes")
        if (JARS / "async-profiler.jar").exists():
            with zipfile.ZipFile(JARS / "async-profiler.jar") as packed, (self.built / "libasyncProfiler.so").open("wb") as library:
                library.write(packed.read(f"linux-{ARCHITECTURE}/libasyncProfiler.so"))
        self.agent("sizes", "sizes.Sizes", "")
        self.agent("jbinstrace", "jbinstrace.Agent", "Boot-Class-Path: jbinstrace.jar\nCan-Redefine-Classes: true\n")
        if (JARS / "asm-tree.jar").exists():
            self.compile([HERE / "java/jbinstrace-weaver/Weaver.java"], f"{JARS}/asm.jar:{JARS}/asm-tree.jar", "weaver")

    def compile(self, sources, path, into):
        javac = shutil.which("javac") if self.java == "java" else str(Path(self.java).with_name("javac"))
        subprocess.run([javac, "--release", "11", "-Xlint:all,-path,-classfile,-processing", "-Werror", "-cp", path or ".", "-d",
                        str(self.built / into), *map(str, sources)], check=True)

    def agent(self, name, main, more):
        self.compile(sorted((HERE / "java" / name).glob("*.java")), "", name)
        manifest = self.built / f"{name}.mf"
        manifest.write_text(f"Premain-Class: {main}\nCan-Retransform-Classes: true\n{more}")
        subprocess.run(["jar", "--create", "--file", str(self.built / f"{name}.jar"), "--manifest", str(manifest), "-C", str(self.built / name), "."],
                       check=True)


def versions():
    """Name and digest of each file that is run, for the page."""
    kept = {}
    for program in APPLICATIONS:
        for jar in program.jars:
            path = Path(JARS, jar)
            if path.exists():
                kept[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return kept


def version(name):
    """The version of what pom.xml names."""
    found = re.search(rf"<artifactId>{re.escape(name)}</artifactId><version>([^<]*)<", (HERE / "pom.xml").read_text())
    return found[1] if found else "-"
