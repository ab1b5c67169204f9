#!/usr/bin/env python3
"""Checks the programs that are packed: sizes, what they need of a system, and that old and other C libraries have it.

Usage: check.py SPL AGENT [--musl LOADER]

Prints a line "ok|FAIL claim: figure" for each claim; the status is 1 if one fails. Needs readelf of binutils.
"""
import argparse
import os
import re
import subprocess
import sys

MOST_SPL, MOST_AGENT = 10 << 20, 2 << 20
NEWEST_GLIBC = (2, 17)
MOST_TLS = 1024
# In each C library, and mapped in every process by that library itself.
LIBRARIES = {"libc.so.6", "libpthread.so.0", "libdl.so.2"}
# Names that the standard library of Rust uses where they are there.
OPTIONAL = {"__cxa_thread_atexit_impl", "getrandom", "gettid", "statx"}
EXPORTED = re.compile(r"Agent_On(Load|Attach|Unload)|Java_java_lang_Spl\w+")

failed = False


def claim(holds, text, figure):
    """Prints the line of a claim."""
    global failed
    failed = failed or not holds
    print(f"{'ok  ' if holds else 'FAIL'} {text}: {figure}")


def readelf(option, path):
    """Lines of readelf's answer."""
    return subprocess.run(["readelf", "--wide", option, path], check=True, capture_output=True, text=True).stdout.splitlines()


def needed(path):
    """Libraries that a program needs."""
    return {line.split("[")[1].rstrip("]") for line in readelf("--dynamic", path) if "(NEEDED)" in line}


def symbols(path):
    """Dynamic symbols: name, version or None, binding, and whether it is defined here."""
    for line in readelf("--dyn-syms", path):
        words = line.split()
        if len(words) < 8 or not words[0].rstrip(":").isdigit():
            continue
        name, _, version = words[7].partition("@")
        yield name, version.lstrip("@") or None, words[4], words[6] != "UND"


def thread_local_bytes(path):
    """Size of the thread-local memory that a library takes."""
    sizes = [int(line.split()[5], 16) for line in readelf("--segments", path) if line.split()[:1] == ["TLS"]]
    return sum(sizes)


def check_agent(path, musl):
    """The agent is loaded by a JVM that has a C library already."""
    size = os.path.getsize(path)
    claim(size <= MOST_AGENT, "the agent has at most 2 MiB", f"{size} bytes")
    extra = needed(path) - LIBRARIES
    claim(not extra, "the agent needs no library but those of every C library", ", ".join(sorted(needed(path))) or "none")
    found = list(symbols(path))
    wanted = [(name, version, binding) for name, version, binding, defined in found if not defined and name]
    versions = {version for _, version, _ in wanted if version}
    numbers = {tuple(map(int, re.findall(r"\d+", version))) for version in versions if version.startswith("GLIBC_")}
    newest = max(numbers, default=(0,))
    claim(
        newest <= NEWEST_GLIBC and all(version.startswith("GLIBC_") for version in versions),
        "the agent needs glibc 2.17 at most",
        "GLIBC_" + ".".join(map(str, newest)),
    )
    # A name without a version is not in the glibc that the library was linked for.
    loose = {name for name, version, binding in wanted if version is None and binding != "WEAK"} - {"__tls_get_addr"}
    weak = {name for name, version, binding in wanted if binding == "WEAK"} - OPTIONAL
    claim(not loose | weak, "each name that the agent needs is in glibc 2.17", ", ".join(sorted(loose | weak)) or f"{len(wanted)} names")
    if musl:
        there = {name for name, _, _, defined in symbols(musl) if defined}
        missing = {name for name, _, binding in wanted if binding != "WEAK"} - there
        claim(not missing, f"each of them is in musl ({musl})", ", ".join(sorted(missing)) or f"{len(wanted)} names")
    local = thread_local_bytes(path)
    claim(local <= MOST_TLS, "the agent takes at most 1 KiB of each thread", f"{local} bytes")
    shown = {name for name, _, _, defined in found if defined}
    strange = {name for name in shown if not EXPORTED.fullmatch(name)}
    claim(bool(shown) and not strange, "the agent shows the names that a JVM looks for only", ", ".join(sorted(strange or shown)))


def check_spl(path):
    """The controller runs on any Linux."""
    size = os.path.getsize(path)
    claim(size <= MOST_SPL, "spl has at most 10 MiB", f"{size} bytes")
    interpreter = any(line.split()[:1] == ["INTERP"] for line in readelf("--segments", path))
    claim(not needed(path) and not interpreter, "spl needs no library and no loader", ", ".join(sorted(needed(path))) or "none")


def main():
    """Checks both."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spl")
    parser.add_argument("agent")
    parser.add_argument("--musl", help="musl's loader, whose names are compared")
    arguments = parser.parse_args()
    check_spl(arguments.spl)
    check_agent(arguments.agent, arguments.musl)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
