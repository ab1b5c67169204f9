#!/usr/bin/env bash
# Prints the commit that is measured, with -dirty when files other than the documents are changed: the evaluation writes into these.
set -euo pipefail
cd "$(dirname "$0")/.."

commit=$(git describe --always)
git diff --quiet HEAD -- . ':!docs' || commit+=-dirty
printf '%s\n' "$commit"
