#!/usr/bin/env bash
# Measures the ROME example once and shows the verdicts; `make demo` builds what this needs. Arguments go to rome.Main.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly SPL=${SPL:-${CARGO_TARGET_DIR:-target}/release/spl}
readonly OUT=out
readonly RESULT=$OUT/result.eval
readonly REPORT=$OUT/report.html

[[ -x $SPL ]] || {
    printf 'demo: %s is missing: run make demo\n' "$SPL" >&2
    exit 2
}
classpath=$(make -s --no-print-directory -C examples/rome classes classpath | tail -n 1)

# A result of an earlier run must not pass for one of this run.
rm -f "$RESULT" "$REPORT"
status=0
# More of `spl run`'s own, as -v.
read -ra options <<<"${DEMO_OPTIONS:-}"
"$SPL" run --replace "${options[@]}" --config examples/rome/splserver.ini --tasks tasks/rome.tasks --out "$OUT" \
    -- java -cp "$classpath" rome.Main "$@" || status=$?

# The exit status says what the verdicts were; only 2 and foreign ones mean that the demonstration failed.
case $status in
0) meaning="every assumption holds" ;;
1) meaning="some assumption is refuted or not proved" ;;
3) meaning="some assumption is undecided or was not evaluated" ;;
*)
    printf 'demo: spl run failed with status %d\n' "$status" >&2
    exit "$status"
    ;;
esac
[[ -s $RESULT ]] || {
    printf 'demo: spl run ended with status %d but wrote no %s\n' "$status" "$RESULT" >&2
    exit 2
}
printf '\n%s:\n' "$RESULT"
cat "$RESULT"
printf '\nspl run ended with status %d: %s\n' "$status" "$meaning"
[[ -s $REPORT ]] || {
    printf 'demo: spl run wrote no %s\n' "$REPORT" >&2
    exit 2
}
printf 'the whole report, to be opened in a browser: %s\n' "$PWD/$REPORT"
