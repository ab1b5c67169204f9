#!/usr/bin/env python3
"""Metrics of real programs next to published figures of the same programs. Ends with status 1 if a value is out of its range.

Usage: metric_programs.py list                       names of the programs
       metric_programs.py lacks NAME JAVA            the first file that the program lacks, or the JVM a module, if there is one
       metric_programs.py check NAME SPL JAVA WORK   runs it under `spl metrics` and compares

The published figures are those of DaCapo Chopin (github.com/dacapobench/dacapobench, benchmarks/bms/*/stats-*.yml): default size, one
iteration. The programs here do less and something else, so their values only have to be of the same order: fields and calls within a
factor of 2, touched instructions within 3, arrays and objects within 4. The web pages of the metrics (2002) call a program intensive in
arrays or floating point over 100 for each 1,000 instructions; javac was called large with 23,000 touched instructions, and mtrt medium with
7,793.
"""

import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
DRILL, METRICS, DEBIAN = ROOT / ".cache/drill", ROOT / ".cache/metrics", pathlib.Path("/usr/share/java")
# Longest run, in seconds.
DEADLINE = 900
NAMES = {
    "run": "size.run.value", "array": "data.arrayDensity.value", "float": "data.floatDensity.value",
    "field": "pointer.fieldAccessDensity.value", "invoke": "polymorphism.invokeDensity.value",
    "objects": "memory.objectAllocationDensity.value",
}
FACTORS = {"run": 3, "array": 4, "field": 2, "invoke": 2, "objects": 4}
# Neither intensive in arrays nor in floating point.
NEITHER = {"array": (0, 100), "float": (0, 100)}
JDK = "--library=java.,javax.,sun.,jdk."


def bench(name, *jars):
    """A turn of a program of evaluation/drill."""
    return [DRILL / jar for jar in jars], lambda work: ["-cp", path([work / "bench", *(DRILL / jar for jar in jars)]), "bench.Bench", name, "1", "0", "1"]


def path(parts):
    return os.pathsep.join(map(str, parts))


def fop(work):
    texts = "".join(f"<fo:block>Paragraph {n}: {'text that is broken into lines and ' * 9}</fo:block>" for n in range(40))
    (work / "page.fo").write_text(
        '<fo:root xmlns:fo="http://www.w3.org/1999/XSL/Format"><fo:layout-master-set><fo:simple-page-master master-name="p" '
        'page-height="29.7cm" page-width="21cm" margin="2cm"><fo:region-body/></fo:simple-page-master></fo:layout-master-set>'
        f'<fo:page-sequence master-reference="p"><fo:flow flow-name="xsl-region-body">{texts}</fo:flow></fo:page-sequence></fo:root>')
    return ["-cp", f"{METRICS}/*", "org.apache.fop.cli.Main", "-fo", str(work / "page.fo"), "-pdf", str(work / "page.pdf")]


def pmd(_):
    rules = "category/java/bestpractices.xml"
    return ["-cp", f"{METRICS}/*", "net.sourceforge.pmd.PMD", "-d", str(ROOT / "tests-java"), "-R", rules, "-f", "text", "-no-cache",
            "--fail-on-violation", "false"]


def javac(work):
    (work / "javac").mkdir(exist_ok=True)
    files = sorted(map(str, (ROOT / "tests-java").glob("*.java")))
    return ["-m", "jdk.compiler/com.sun.tools.javac.Main", "-nowarn", "-d", str(work / "javac"), *files]


def rome(_):
    made = subprocess.run(["make", "-s", "--no-print-directory", "-C", ROOT / "examples/rome", "classes", "classpath"],
                          capture_output=True, text=True, check=True)
    return ["-cp", made.stdout.splitlines()[-1], "rome.Main", "--cycles", "20", "--quiet-times"]


def scimark(_):
    return ["-cp", str(METRICS / "scimark.jar"), "jnt.scimark2.commandline", "0.05"]


def kotlin(work):
    text = "".join(f"""
sealed interface Shape{n} {{ fun area(): Double }}
data class Square{n}(val side: Double) : Shape{n} {{ override fun area() = side * side }}
data class Circle{n}(val radius: Double) : Shape{n} {{ override fun area() = 3.14 * radius * radius }}
fun sum{n}(all: List<Shape{n}>) = all.filter {{ it.area() > {n} }}.sumOf {{ when (it) {{ is Square{n} -> it.side; is Circle{n} -> it.radius }} }}
""" for n in range(20))
    (work / "shapes.kt").write_text(text)
    jars = [METRICS / f"{name}.jar" for name in (
        "kotlin-compiler-embeddable", "kotlin-stdlib", "kotlin-script-runtime", "kotlin-reflect", "kotlin-daemon-embeddable", "trove4j", "annotations")]
    return ["-cp", path(jars), "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", "-no-stdlib", "-no-reflect", "-classpath",
            str(METRICS / "kotlin-stdlib.jar"), "-d", str(work / "kotlin"), str(work / "shapes.kt")]


def tomcat(work):
    jars = path(sorted(DEBIAN.glob("tomcat10-*[a-z].jar")))
    sources = [*(ROOT / "evaluation/service/java/service").glob("*.java"), ROOT / "evaluation/accept/java/Asked.java"]
    subprocess.run(["javac", "--release", "11", "-nowarn", "-cp", jars, "-d", work / "service", *sources], check=True)
    return ["-cp", path([work / "service", jars]), "Asked", str(work / "tomcat"), "400"]


# Files that it needs, its arguments, options of `spl metrics`, figures published for it, and other ranges.
PROGRAMS = {
    "h2": (*bench("H2", "h2.jar"), [], {"run": 17_972, "array": 32.3, "field": 106, "invoke": 55, "objects": 6.5}, NEITHER),
    "lucene": (*bench("Lucene", "lucene-core.jar"), [], {"run": 54_527, "array": 46.1, "field": 153, "invoke": 31, "objects": 0.36}, NEITHER),
    "xalan": (*bench("Xalan", "xalan.jar", "serializer.jar"), [], {}, {**NEITHER, "field": (50, 250), "invoke": (30, 200)}),
    "jython": (*bench("Jython", "jython-standalone.jar"), [], {"run": 149_741, "array": 30.3, "field": 147, "invoke": 70, "objects": 15}, NEITHER),
    "fop": ([METRICS / "fop-core.jar"], fop, [], {"run": 177_071, "array": 19.0, "field": 132, "invoke": 69, "objects": 11}, NEITHER),
    "pmd": ([METRICS / "pmd-java.jar"], pmd, [], {"run": 95_973, "array": 22.0, "field": 162, "invoke": 82, "objects": 14}, NEITHER),
    "javac": ([], javac, ["--methods", "com.sun.tools.javac.**", JDK], {},
              {**NEITHER, "run": (23_000, 10 ** 6), "field": (50, 300), "invoke": (30, 200)}),
    "scimark": ([METRICS / "scimark.jar"], scimark, [], {}, {"array": (100, 1000), "float": (100, 1000)}),
    "kotlin": ([METRICS / "kotlin-compiler-embeddable.jar"], kotlin, [], {},
               {**NEITHER, "run": (23_000, 10 ** 6), "field": (50, 300), "invoke": (30, 200)}),
    "tomcat": ([DEBIAN / "tomcat10-catalina.jar"], tomcat, [], {}, {**NEITHER, "run": (7_793, 10 ** 6), "field": (50, 300), "invoke": (30, 200)}),
    "rome": ([DEBIAN / "rome.jar", DEBIAN / "jdom2.jar"], rome, [], {}, {**NEITHER, "field": (20, 300), "invoke": (20, 300)}),
}


def check(name, spl, java, work):
    work = pathlib.Path(work)
    _, arguments, options, published, ranges = PROGRAMS[name]
    command = [spl, "metrics", "-q", "--replace", "--out", work / name, *options, "--", java, *arguments(work)]
    with open(work / "program.txt", "w") as out:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, timeout=DEADLINE, check=False)
    if done.returncode != 0:
        print(f"status {done.returncode}: {(work / 'program.txt').read_text()[-300:]}")
        return False
    document = json.loads((work / name / "drill/metrics.json").read_text())
    app = next(space["values"] for space in document["spaces"] if space["name"] == "app")
    found = {f"{one['category']}.{one['name']}.{one['kind']}": one for one in app if "key" not in one}
    limits = {key: (value / FACTORS[key], value * FACTORS[key]) for key, value in published.items()}
    wrong, texts = [], []
    for key in NAMES:
        value = found[NAMES[key]]
        for low, high in [one[key] for one in (limits, ranges) if key in one]:
            if not low <= value["least"] <= value["most"] <= high:
                wrong.append(f"{key} {value['least']:.1f} to {value['most']:.1f} is not {low:.1f} to {high:.1f}")
        if key in limits or key in ranges:
            texts.append(f"{key} {value['least']:,.1f}" + (f" ({published[key]:,})" if key in published else ""))
    total = found["base.instructions.value"]["least"]
    print("; ".join(wrong) or f"{total:,} instructions, " + ", ".join(texts))
    return not wrong


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["list"]:
            print("\n".join(PROGRAMS))
        case ["lacks", name, java]:
            lacks = [str(file) for file in PROGRAMS[name][0] if not file.exists()]
            if name == "javac" and "jdk.compiler" not in subprocess.run([java, "--list-modules"], capture_output=True, text=True, check=True).stdout:
                lacks.append("jdk.compiler")
            print("".join(lacks[:1]))
        case ["check", name, spl, java, work]:
            sys.exit(0 if check(name, spl, java, work) else 1)
        case _:
            sys.exit(__doc__)
