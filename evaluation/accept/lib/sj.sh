# shellcheck shell=bash
# Claims about specifications of events (`spl drill --spec`), on one JDK. The script that sources this has set $SPL, $CLASSES and $work, and
# has compiled tests-java/{Traced,Metrics}.java there.

readonly SPECS=analysis/tests/sj

# The expansion of a file; $1: its name, the rest: lines that it has to have.
sj_expands() {
    local file=$1 line
    shift
    "$SPL" drill --spec "$SPECS/$file" --show >"$work/shown.sj" 2>"$work/shown.txt" </dev/null || return 1
    for line in "$@"; do grep -qxF -- "$line" "$work/shown.sj" || { printf 'no line: %s\n' "$line"; return 1; }; done
    # The expansion means what it was expanded from.
    "$SPL" drill --spec "$work/shown.sj" --show 2>/dev/null </dev/null | cmp - "$work/shown.sj" || return 1
    printf '%s: %s events, %s warnings\n' "$file" "$(grep -c '^event' "$work/shown.sj")" "$(grep -c ': warning: ' "$work/shown.txt")"
}

sj_goldens() {
    local events=()
    sj_expands classic.sj "# this is \`spl drill --what trace\`" "event InstructionStart {" "event ObjectAlloc {" "    offset: yes;" || return 1
    sj_expands trace.sj "# this is \`spl drill --what trace,blocks\`" "event Block {" "    counted: yes;" || return 1
    sj_expands counts.sj "# this is \`spl drill --what receivers\`" "event Call {" "    receiver_class: yes;" || return 1
    mapfile -t events < <(grep '^event' "$work/shown.sj")
    [[ ${events[*]} == "event Block { event Call { event ObjectAlloc {" ]]
}

# Each error has its place, and wrong names have near ones. $1: file, $2: number of errors, $3: number of proposals.
sj_errors() {
    local said=$work/wrong.txt places near
    ! "$SPL" drill --spec "$SPECS/$1" --show >"$work/wrong.sj" 2>"$said" </dev/null || return 1
    places=$(grep -cE "^spl: +--> $SPECS/$1:[0-9]+:[0-9]+$" "$said")
    near=$(grep -c '= help: did you mean' "$said")
    printf '%s: %s errors with places, %s of them with near names\n' "$1" "$places" "$near"
    [[ ! -s $work/wrong.sj ]] && ((places == $2 && near == $3))
}

sj_all_errors() { sj_errors wrong-names.sj 5 3 && sj_errors wrong-text.sj 13 2; }

# $1: the folder, $2: specification; the rest: arguments of Java.
sj_drill() {
    local out=$1 spec=$2
    shift 2
    "$SPL" drill --replace --out "$work/$out" --all --spec "$spec" -- "$@" >"$work/said.txt" 2>&1 </dev/null
}

# The least specification of some metrics makes a drill that has all of them, and the table of metrics has as many. $1: java, $2: metrics,
# $3: kind of drill.
sj_least() {
    local java=$1 tree=$work/tree.txt computed known heard
    "$SPL" analyse --needs "$2" >"$work/least.sj" 2>/dev/null && sj_drill least "$work/least.sj" "$java" -cp "$CLASSES" Metrics || return 1
    grep -q "this is \`spl drill --what $3\`$" "$work/said.txt" || return 1
    "$SPL" analyse --hierarchy --disable '*' --enable "$2" >"$tree" && known=$(grep -cE '^    [a-z]' "$tree") || return 1
    # Metrics of the JVM's events are not a drill's.
    heard=$(sed -n 's/^# only `spl metrics[^`]*` has .*, for //p' "$work/least.sj" | tr ',' '\n' | tr -d ' ' | sort -u | grep -c .) || true
    "$SPL" analyse "$work/least" --disable '*' --enable "$2" --as csv >"$work/values.csv" 2>"$work/said.txt" || return 1
    computed=$(cut -d, -f1-4 "$work/values.csv" | grep '^app,' | sort -u | wc -l)
    printf '%s: %s of %s metrics, and %s are heard, by %s lines\n' "$2" "$computed" "$known" "$heard" "$(wc -l <"$work/least.sj")"
    ((computed + heard == known && computed > 0)) && ! grep -q 'spl drill --what receivers. has it' "$work/said.txt"
}

sj_recorded() {
    sj_drill recorded "$SPECS/trace.sj" "$1" -cp "$CLASSES" Traced 50 0 && "$SPL" trace check "$work/recorded" 2>/dev/null
}

# $1: JDK, $2: java.
specs() {
    local name="JDK $1" java=$2
    trace_claim "$name: files of *J and others mean what they should, and so does what they are expanded to" sj_goldens
    trace_claim "$name: each error of a specification has its place, and wrong names have near ones" sj_all_errors
    trace_claim "$name: recorded and counted blocks of a specification are the same" sj_recorded "$java"
    trace_claim "$name: the least specification has what all metrics need" sj_least "$java" metrics receivers
    trace_claim "$name: the least specification of metrics without calls takes counters of blocks" sj_least "$java" size blocks
}
