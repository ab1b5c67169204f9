#!/usr/bin/env python3
"""The list of the crates that the packed programs are made of (CycloneDX 1.5), and its comparison with what is linked.

Usage: sbom.py write OUT --epoch SECONDS --target TRIPLE
       sbom.py compare SBOM SYMBOLS...

`write` asks cargo which crates of Cargo.lock are built for the two programs. `compare` looks for paths of crates' sources in
the line tables of files with symbols: every crate that has code there must be in the list. The status is 1 if one is not.
"""
import argparse
import json
import re
import subprocess
import sys
import time

ROOTS = ["spl-controller", "spl-agent"]
# A source file of a crate from the registry, by the name that the build gives to the registry's folder.
SOURCE = re.compile(rb"/registry/src/[^/\0]+/([A-Za-z0-9_-]+?)-(\d+\.\d+\.\d+[A-Za-z0-9.+-]*)(?=[/\0])")


def tree(root, target):
    """Crates that are linked into a program: name, version, licence. Build scripts and macros run while it is built only."""
    command = ["cargo", "tree", "--locked", "-p", root, "-e", "normal,no-proc-macro", "--target", target,
               "--prefix", "none", "--no-dedupe", "-f", "{p}|{l}"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    for line in filter(None, lines):
        package, licence = line.split("|")
        words = package.split()
        yield words[0], words[1].lstrip("v"), licence, "(/" in package


def checksums():
    """SHA-256 of the registry's crates, of Cargo.lock."""
    with open("Cargo.lock", encoding="utf-8") as file:
        entries = re.findall(r'name = "(.+)"\nversion = "(.+)"\nsource = ".+"\nchecksum = "(.+)"', file.read())
    return {(name, version): digest for name, version, digest in entries}


def write(out, epoch, target):
    """Writes the document."""
    known = checksums()
    found = sorted({crate for root in ROOTS for crate in tree(root, target)})
    components = []
    for name, version, licence, is_ours in found:
        one = {"type": "library", "name": name, "version": version, "bom-ref": f"{name}@{version}",
               "licenses": [{"expression": licence.replace("/", " OR ")}]}
        if not is_ours:
            one["purl"] = f"pkg:cargo/{name}@{version}"
            one["hashes"] = [{"alg": "SHA-256", "content": known[name, version]}]
        components.append(one)
    version = next(crate[1] for crate in found if crate[0] == "spl-controller")
    document = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
                "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)),
                             "component": {"type": "application", "name": "spl", "version": version, "bom-ref": "spl"}},
                "components": components}
    with open(out, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1, sort_keys=True)
        file.write("\n")


def compare(sbom, files):
    """Gives 1 if code of a crate that the list lacks is linked."""
    with open(sbom, encoding="utf-8") as file:
        listed = {(one["name"], one["version"]) for one in json.load(file)["components"] if "purl" in one}
    linked = set()
    for path in files:
        with open(path, "rb") as file:
            linked |= {(name.decode(), version.decode()) for name, version in SOURCE.findall(file.read())}
    missing = sorted(" ".join(crate) for crate in linked - listed)
    good = linked and not missing
    print(f"{'ok  ' if good else 'FAIL'} the SBOM has each crate whose code is linked: {len(linked)} of {len(listed)} listed have "
          f"code of their own in the line tables; not listed: {', '.join(missing) or 'none'}")
    return 0 if good else 1


def main():
    """Writes a list or compares one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write")
    writing.add_argument("out")
    writing.add_argument("--epoch", type=int, required=True)
    writing.add_argument("--target", required=True)
    comparing = commands.add_parser("compare")
    comparing.add_argument("sbom")
    comparing.add_argument("files", nargs="+")
    asked = parser.parse_args()
    if asked.command == "compare":
        sys.exit(compare(asked.sbom, asked.files))
    write(asked.out, asked.epoch, asked.target)


if __name__ == "__main__":
    main()
