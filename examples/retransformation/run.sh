#!/usr/bin/env bash
# Controller and program in one terminal: run.sh SPL COMMAND..., from the project's root folder. Each Enter puts probes into
# java.lang.Integer or takes them out; it ends with the program.
set -euo pipefail

readonly SPL=$1
shift

work=$(mktemp -d)
mkfifo "$work/lines"
# The program, when it has been started. It ends with its controller.
client=
finish() {
    [[ -z $client ]] || kill "$client" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

# A background job would have no input.
"$SPL" serve --manual --once --port 0 --token-file "$work/token" --config examples/retransformation/splserver.ini \
    <&0 2>"$work/lines" &
server=$!
while IFS= read -r line; do
    printf '%s\n' "$line" >&2
    if [[ $line =~ 'listening on port '([0-9]+) ]]; then
        "$SPL" client --port "${BASH_REMATCH[1]}" --token-file "$work/token" -- "$@" </dev/null &
        client=$!
    fi
done <"$work/lines"
wait "$server"
