"""The whole programs, the ways to run them, and the command of a fork."""

import importlib.util
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from chapter import ROOT

HERE = ROOT / "evaluation/whole"


def sibling(folder, name):
    """A file of another part, whose name this part has too."""
    spec = importlib.util.spec_from_file_location(f"{folder}_{name}", ROOT / f"evaluation/{folder}/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


drill = sibling("drill", "programs")
JARS, DEBIAN, JEDIT = drill.JARS, drill.DEBIAN, Path("/usr/share/jedit/jedit.jar")
# The JVM has the same options in all ways: room for a trace that is kept in memory, whose parts do not go through the young generation.
JVM = ["-XX:+UseSerialGC", "-Xms6g", "-Xmx6g", "-Xmn256m", "-XX:PretenureSizeThreshold=1m"]
# Parts of Ant that need no other: with all of Ant the trace in memory would be too large.
BUILT = "org/apache/tools/zip/*.java,org/apache/tools/tar/*.java,org/apache/tools/bzip2/*.java,org/apache/tools/ant/launch/*.java"


@dataclass(frozen=True)
class Program:
    """A program, run once from its start to its end."""

    name: str
    # Its class of java/bench, and its arguments, with {jars}, {made}, {here} and {sources} for places.
    arguments: tuple
    jars: tuple = ()
    # Whether the paper's column of starts is what to compare with; otherwise it computes.
    starts: bool = True
    # Classes of evaluation/drill/java/bench that it needs.
    workloads: tuple = ()
    needs_screen: bool = False
    # JAR of the sources that it compiles, which is unpacked to {sources}.
    sources: str = ""
    # Figures of the paper: the program there, and how many times alone its execution took, and its execution with writing.
    paper: tuple = field(default=())
    does: str = ""


PROGRAMS = [
    Program("jedit", ("JEditStart", "-nosettings", "-noserver", "-nobackground", "-nosplash", "-noplugins"), (JEDIT,), needs_screen=True,
            paper=("jEdit 4.3pre17, start", 2.3, 4.8), does="jEdit 5.5.0 until its first window is open"),
    Program("ant", ("AntBuild", "-q", "-f", "{here}/build.xml", "-Dmade={made}", "-Dsources={jars}/ant-sources.jar",
                    "-Dlauncher-sources={jars}/ant-launcher-sources.jar", "-Dresources={jars}/ant.jar", f"-Dcompiled={BUILT}"),
            ("ant.jar", "ant-launcher.jar"), paper=("Ant 1.8.2, building itself", 8.0, 42.0),
            does="Ant 1.10.14 builds a part of itself: unpacks 799 sources, compiles 39 of them with javac in the same JVM, makes a JAR"),
    Program("ecj", ("EcjBatch", "--release", "8", "-proc:none", "-nowarn", "-d", "{made}", "{sources}"), ("ecj.jar",),
            sources="commons-cli-sources.jar", paper=("ArgoUML 0.28, start", 4.9, 21.8),
            does="Eclipse's batch compiler 3.33.0 compiles commons-cli 1.6.0"),
    Program("sunflow", ("Turns", "Sunflow", "2"), (DEBIAN / "sunflow.jar", DEBIAN / "janino.jar"), starts=False, workloads=("Sunflow",),
            paper=("SPECjvm2008, mean", 11.0, None), does="Sunflow 0.07.2 renders 64 × 64 pixels twice"),
    Program("h2", ("Turns", "H2", "3"), ("h2.jar",), starts=False, workloads=("H2",), paper=("SPECjvm2008, mean", 11.0, None),
            does="H2 2.2.224, three turns of tables in memory"),
    Program("hello", ("Greeting",), does="Hello world"),
    Program("javac", ("JavacBatch", "-proc:none", "-d", "{made}", "{root}/tests-java/Traced.java"), does="the JDK's compiler, one file"),
]


@dataclass(frozen=True)
class Way:
    """A way to run a program."""

    name: str
    # Whether `spl drill` or JBInsTrace runs the program; without both it runs alone.
    spl: bool = False
    peer: bool = False
    jdk: bool = True


ALONE, TRACE, PEER = Way("alone"), Way("trace --jdk", spl=True), Way("JBInsTrace --jdk", peer=True)
OWN_TRACE, OWN_PEER = Way("trace", spl=True, jdk=False), Way("JBInsTrace", peer=True, jdk=False)
WAYS = [ALONE, TRACE, PEER, OWN_TRACE, OWN_PEER]


class Tools:
    """The controller, the JVM, and what is built for this part."""

    def __init__(self, spl, java, built, programs, peer):
        """`built` is an empty folder; `peer` says whether JBInsTrace is needed."""
        self.built, self.spl, self.java = Path(built), Path(ROOT, spl).resolve(), java
        build = drill.Tools(spl, java, built)
        workloads = [name for program in programs for name in program.workloads]
        names = ["Whole", *dict.fromkeys(program.arguments[0] for program in programs)]
        sources = [HERE / f"java/bench/{name}.java" for name in names]
        sources += [drill.HERE / f"java/bench/{name}.java" for name in (*workloads, "Workload")] if workloads else []
        build.compile(sources, ":".join(str(Path(JARS, jar)) for program in programs for jar in program.jars), "classes")
        if peer:
            build.agent("jbinstrace", "jbinstrace.Agent", "Boot-Class-Path: jbinstrace.jar\nCan-Redefine-Classes: true\n")
            build.compile([drill.HERE / "java/jbinstrace-weaver/Weaver.java"], f"{JARS}/asm.jar:{JARS}/asm-tree.jar", "weaver")
        for program in programs:
            if program.sources:
                with zipfile.ZipFile(JARS / program.sources) as archive:
                    archive.extractall(self.built / program.name)

    def command(self, program, way, work):
        """The fork's command; `work` is an empty folder of its own, with folders `made` and `trace`."""
        places = {"jars": JARS, "here": HERE, "root": ROOT, "made": f"{work}/made", "sources": self.built / program.name}
        path = ":".join(map(str, [self.built / "classes", *(Path(JARS, jar) for jar in program.jars)]))
        weaver = ":".join(map(str, [self.built / "weaver", JARS / "asm.jar", JARS / "asm-tree.jar"]))
        scope = "jdk," if way.jdk else ""
        agent = [f"-javaagent:{self.built}/jbinstrace.jar={scope}trace={work}/trace,weaver={weaver}"] if way.peer else []
        arguments = [argument.format(**places) for argument in program.arguments]
        java = [self.java, *agent, *JVM, f"-Duser.home={work}", "-cp", path, "bench.Whole", *arguments]
        if not way.spl:
            return java
        scope = ["--jdk"] if way.jdk else []
        options = ["--replace", "--out", f"{work}/out", "--what", "trace", "--full", "wait", "--all", *scope]
        return [str(self.spl), "drill", *options, "--", *java]


def missing(program):
    """The first file that a program lacks."""
    needed = [Path(JARS, jar) for jar in (*program.jars, *([program.sources] if program.sources else []))]
    return next((str(path) for path in needed if not path.exists()), None)
