#!/usr/bin/env python3
"""Looks for habits of hard prose in comments, documents, messages and names of all tracked files.

Usage: scripts/habits.py [--count] [PATH ...]

scripts/habits.ini has the habits. Every run first tries each pattern on its examples. Then each hit is printed with
its place, its habit and the remedy, and the exit status is 1 if there is one. A paragraph is read as a whole, so a
line break hides nothing; code in backquotes is not read. A hit that is meant has `habit-ok: reason` in a comment on
its line or the line before, or a line in the section [allow] of scripts/habits.ini.
"""
import bisect
import configparser
import io
import pathlib
import re
import subprocess
import sys
import tokenize

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = "scripts/habits.ini"
MARK = re.compile(r"habit-ok: *\S")
ROOMS = {"comments", "docs", "messages", "names"}
# Strings with fewer words are not sentences.
LEAST_WORDS = 3
# Strings of tests are inputs, or copies of messages.
TESTS = re.compile(r"(^|/)(tests|tests-java|fuzz|benches)/|(^|/)tests\.rs$")
TOKEN = re.compile(
    r"""(?P<line>//[^\n]*)
      |(?P<block>/\*.*?\*/)
      |b?r(?P<hashes>\#*)"(?P<raw>.*?)"(?P=hashes)
      |(?P<three>\"\"\".*?\"\"\")
      |b?"(?P<string>(?:[^"\\]|\\.)*)"
      |'(?:[^'\\\n]|\\[^\n]{1,9}?)'
      |(?P<name>[A-Za-z_][A-Za-z0-9_]*)""",
    re.VERBOSE | re.DOTALL,
)


class Habit:
    """A section of the list: patterns, the rooms where they are looked for, and examples of hits and misses."""

    def __init__(self, name, section):
        self.name, self.remedy = name, section["remedy"]
        self.rooms = set(section["in"].split())
        self.pattern = re.compile("|".join(section["pattern"].strip().split("\n")))
        self.examples = {kind: section[kind].strip().split("\n") for kind in ("hit", "miss")}

    def problems(self):
        """Mistakes of the section: an unknown room, or an example on the wrong side."""
        for room in self.rooms - ROOMS:
            yield f"{self.name}: there is no room {room}"
        for kind, examples in self.examples.items():
            for example in examples:
                if bool(self.pattern.search(example)) != (kind == "hit"):
                    yield f"{self.name}: this example should be a {kind}: {example}"


class Text:
    """Lines of a file that are read as one paragraph."""

    def __init__(self, room, number=0, line=""):
        self.room, self.text, self.starts, self.lines = room, "", [], []
        if line:
            self.add(number, line)

    def add(self, number, line):
        """Appends a line of the file."""
        self.text += " " if self.text else ""
        self.starts.append(len(self.text))
        self.lines.append(number)
        self.text += line

    def line(self, offset):
        """Number of the line in the file that has this character of the text."""
        return self.lines[bisect.bisect_right(self.starts, offset) - 1]

    def prose(self):
        """The text with code in backquotes made unreadable, of the same length."""
        return re.sub(r"(`+)[^`]+\1", lambda found: "`" + "x" * (len(found[0]) - 2) + "`", self.text)


def paragraphs(room, lines):
    """Numbered lines of prose as paragraphs: an empty line, a list item, a heading and a table cell end one."""
    text = None
    for number, line in lines:
        line = line.strip()
        item = re.match(r"([-*]|\d+\.) +", line)
        alone = line.startswith(("#", "|"))
        if text and (not line or item or alone):
            yield text
            text = None
        if line.startswith("|"):
            yield from (Text(room, number, cell.strip()) for cell in re.split(r"(?<!\\)\|", line)[1:-1] if cell.strip())
        elif alone:
            yield Text(room, number, line)
        elif line:
            text = text or Text(room)
            text.add(number, line[item.end():] if item else line)
    if text:
        yield text


def runs(comments):
    """Comments (line, kind, whether nothing stands before it, text) as paragraphs of lines that follow each other."""
    run, last = [], None
    for number, kind, alone, text in comments:
        if run and (not alone or last != (number - 1, kind)):
            yield from paragraphs("comments", run)
            run = []
        run.append((number, text))
        last = (number, kind)
    yield from paragraphs("comments", run)


def code(source, strings):
    """Comments, sentences in strings, and names of a Rust or Java file."""
    starts, comments = [0] + [found.end() for found in re.finditer("\n", source)], []
    for token in TOKEN.finditer(source):
        number = bisect.bisect_right(starts, token.start())
        if token["line"] is not None:
            kind = re.match(r"//[/!]?", token["line"]).group()
            alone = not source[starts[number - 1]:token.start()].strip()
            comments.append((number, kind, alone, token["line"][len(kind):]))
        elif token["block"] is not None:
            lines = re.sub(r"^/\*+|\*+/$", "", token["block"]).split("\n")
            lines = [(number + at, re.sub(r"^\s*\*+ ?", "", line)) for at, line in enumerate(lines)]
            yield from paragraphs("comments", lines)
        elif token["name"] is not None:
            yield Text("names", number, token["name"])
        elif strings:
            content = token["string"] or token["raw"] or (token["three"] or "").strip('"')
            content = re.sub(r"\\\n\s*", "", content)
            if len(content.split()) >= LEAST_WORDS:
                lines = [(number + at, line) for at, line in enumerate(re.split(r"\n|\\n", content))]
                yield from paragraphs("messages", lines)
    yield from runs(comments)


def python(source):
    """Comments and sentences in strings of a Python file."""
    comments = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        number = token.start[0]
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            comments.append((number, "#", not token.line[:token.start[1]].strip(), token.string.lstrip("# ")))
        elif token.type == tokenize.STRING and len(token.string.split()) >= LEAST_WORDS:
            lines = re.sub(r"^[a-zA-Z]*[\"']+|[\"']+$", "", token.string).split("\n")
            yield from paragraphs("messages", [(number + at, line) for at, line in enumerate(lines)])
    yield from runs(comments)


def hashes(source):
    """Comments of a file that has them behind `#`: shell, TOML, INI, make."""
    comments = []
    for number, line in enumerate(source.split("\n"), 1):
        found = re.search(r"(?:^|\s)#+(?!!)\s?(.*)", line)
        alone = found and not line[:found.start()].strip()
        # Behind code, a `#` in quotes is not a comment.
        if found and (alone or not re.search("['\"]", found[1])):
            comments.append((number, "#", alone, found[1]))
    return runs(comments)


def markdown(source):
    """Prose of a Markdown file, without its blocks of code."""
    fenced, lines = False, []
    for number, line in enumerate(source.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced, line = not fenced, ""
        lines.append((number, "" if fenced else line))
    return paragraphs("docs", lines)


def texts(path, source):
    """All paragraphs, messages and names of a file; `None` for a kind of file that is not read."""
    if path.endswith((".rs", ".java")):
        return code(source, not TESTS.search(path))
    if path.endswith(".py"):
        return python(source)
    if path.endswith(".md"):
        return markdown(source)
    if path.endswith((".sh", ".toml", ".ini", "Makefile", ".ci/run")):
        return hashes(source)
    return None


def hits(path, source, habits, allow):
    """Each hit of a file as its line, its habit and the words around it; marks the used entries of `allow`."""
    rows = source.split("\n")
    for text in texts(path, source) or []:
        prose = text.prose()
        for habit in habits:
            for found in habit.pattern.finditer(prose) if text.room in habit.rooms else []:
                line = text.line(found.start())
                entry = next((e for e in allow if e[:2] == (path, habit.name) and e[2] in text.text), None)
                if entry:
                    allow[entry] = True
                elif not any(MARK.search(row) for row in rows[max(0, line - 2):line]):
                    yield line, habit, text.text[max(0, found.start() - 30):found.end() + 50]


def main(arguments):
    """Checks the list, then the files; the exit status."""
    data = configparser.ConfigParser(interpolation=None)
    data.read(ROOT / LIST, encoding="utf-8")
    habits = [Habit(name, data[name]) for name in data.sections() if name != "allow"]
    lines = [line.split(": ", 3) for line in data["allow"]["lines"].strip().split("\n") if line]
    problems = [problem for habit in habits for problem in habit.problems()]
    problems += [f"allow: not `path: habit: words: reason`: {line}" for line in lines if len(line) != 4]
    if problems:
        sys.exit("\n".join([f"{LIST}:"] + problems))
    allow = {(path, habit, words): False for path, habit, words, _reason in lines}
    wanted = tuple(argument for argument in arguments if not argument.startswith("-"))
    counts = dict.fromkeys((habit.name for habit in habits), 0)
    for path in subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).split("\n"):
        if not path.startswith(wanted or "") or texts(path, "") is None or not (ROOT / path).is_file():
            continue
        for line, habit, words in hits(path, (ROOT / path).read_text(encoding="utf-8"), habits, allow):
            counts[habit.name] += 1
            if "--count" not in arguments:
                print(f"{path}:{line}: {habit.name}: {words.strip()} ({habit.remedy})")
    unused = [] if wanted else [entry for entry, used in allow.items() if not used]
    for path, habit, words in unused:
        print(f"{LIST}: allow: {path} has no such hit of {habit} any more: {words}")
    if "--count" in arguments:
        print(", ".join(f"{name} {count}" for name, count in counts.items()))
    print(f"habits: {sum(counts.values())} hits")
    return 1 if unused or any(counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
