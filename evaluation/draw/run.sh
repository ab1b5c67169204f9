#!/bin/sh
# Draws the graphs of all methods of the JDKs at hand, checks the drawings, and compares a sample with Graphviz.
# Usage: evaluation/draw/run.sh [SAMPLE]: one in this number of the methods is compared; 200 without it.
set -eu
cd "$(dirname "$0")/../.."
command -v dot >/dev/null || apt-get install -y graphviz >&2
cargo build --release --quiet -p spl-drawn
scripts/jdks.sh --list | while read -r release home; do
    echo "JDK $release"
    target/release/spl-drawn --jdk "$home" --sample "${1:-200}" --times 2
done
