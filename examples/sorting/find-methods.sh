#!/usr/bin/env bash
# Prints the methods of java.lang and java.util that the sorting program calls most and that bytecode can see, the most
# called first, each after its calls a cycle. `make find-methods` builds what this needs. Arguments: the controller, and
# how many methods to print.
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly SPL=${1:?the path of spl} COUNT=${2:-22}
readonly CLASSES=examples/sorting/build
# Few numbers a cycle: the program is interpreted, so that no call is inlined away and all samples find room.
readonly PROGRAM=(sorting.Main --numbers 1000 --quiet-times)
# Called once a cycle.
readonly MARK='java/util/Random.<init>(J)V'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The JVM compiles methods that are called some hundred times; with inlining off it compiles each separately.
# Its log has <task … method='java.util.Random next (I)I' …>, with &lt; and &gt; in names.
java -XX:TieredStopAtLevel=1 -XX:-Inline -XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation \
    -XX:LogFile="$work/jit.xml" -cp "$CLASSES" "${PROGRAM[@]}" --cycles 60 >/dev/null
{
    printf '%s\n' "$MARK"
    grep -oE "<task [^>]*method='java\.(lang|util)\.[A-Z][^ ]* [^']*'" "$work/jit.xml" |
        sed -E "s/.*method='([^ ]*) ([^ ]*) ([^']*)'/\1 \2 \3/; s/&lt;/</g; s/&gt;/>/g" |
        awk '{ gsub(/\./, "/", $1); print $1 "." $2 $3 }'
} | sort -u >"$work/candidates.tasks"

"$SPL" run --replace --config examples/sorting/find-methods.ini --tasks "$work/candidates.tasks" --out "$work" -- \
    java -Xint -cp "$CLASSES" "${PROGRAM[@]}" --cycles 30 \
    >/dev/null 2>"$work/spl.txt" || { cat "$work/spl.txt" >&2; exit 1; }

# A method that compiled code replaces by an intrinsic is not a candidate, though the interpreter showed its
# calls.
sed -n 's/^spl: \(.*\): the JVM may replace its calls by an intrinsic.*/\1/p' "$work/spl.txt" >"$work/left-out"
# A record's fifth field is its method, quoted when it has a comma in it, and descriptors have none.
awk -F , -v mark="$MARK" -v left_out="$work/left-out" '
    BEGIN { while ((getline method <left_out) > 0) is_out[method] = 1 }
    { calls[$5]++ }
    END { for (method in calls) if (!(method in is_out)) printf "%.1f %s\n", calls[method] / calls[mark], method }
' "$work"/measurements/*.msr | sort -k 1,1nr -k 2,2 | head -n "$COUNT" >"$work/found"
cat "$work/found"

cycles=$(cat "$work"/measurements/java.util.Random..init.*.msr | wc -l)
lost=$(grep -oE '[0-9]+ samples were lost' "$work/spl.txt" || echo none)
printf 'counted in %s cycles; lost: %s; left out as intrinsics: %s\n' "$cycles" "$lost" \
    "$(paste -sd ' ' "$work/left-out")" >&2
