#!/usr/bin/env bash
# Looks at the report of a recorded run in a browser: check.sh SPL [options of check.mjs].
set -euo pipefail
cd "$(dirname "$0")/../.."

spl=$(realpath "$1")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -C "$work" -xzf report/browser/rome.tar.gz
node report/browser/check.mjs "$spl" "$work" "$@"
