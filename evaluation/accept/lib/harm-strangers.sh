# shellcheck shell=bash
# Effects of peers without the token and of small matters on a program, shown on one JDK. Sourced by harm.sh,
# after claims.sh.

# $number: the JDK's release.
strangers_and_small() {
    tested "JDK $number: beside 300 and 1,000 silent connections, opened again when closed, a program is measured" e2e strangers::
    tested "JDK $number: half and endless beginnings, and 300 connections at once, hold up nobody" e2e token::half token::strangers
    tested "JDK $number: a signed JAR is refused, or written without its signature, sealed and for several releases" \
        e2e instrumenting::a_signed_jar
    tested "JDK $number: the gate of classes on disk is never open, not while the agent warms its probe" \
        e2e instrumenting::the_gate instrumenting::a_jar_with_probes
    tested "JDK $number: the library is tried with the program's own options, wherever they stand, and without effects" \
        e2e unmeasured::the_library_is_tried unmeasured::options_with_effects
    tested "JDK $number: a library that does not load starts the program unmeasured, or not at all with --require" \
        e2e unmeasured::a_library bad_input::agent_libraries bad_input::an_agent_library
    tested "JDK $number: another reason is not blamed on the C library" e2e unmeasured::another_reason
    tested "JDK $number: a controller without a folder to write to starts the program" e2e unmeasured::folders
    tested "JDK $number: loaded into a running JVM without a controller, the agent answers an error and touches nothing" e2e attach::
    tested "JDK $number: names that would mislead show as they are, everywhere" e2e names::names_that_mislead
    tested "JDK $number: no end leaves a folder behind, and the next controller removes that of a killed one" \
        e2e signals::no_end signals::a_hangup
}

# Claims that need no JDK.
strangers_and_small_alone() {
    tested "folders that are not ours, or of a living controller, are never removed, links never followed" \
        cargo test -q --workspace --lib -- private_folder
    tested "the socket finds a place where the usual ones have none" cargo test -q --workspace --lib -- door::
    tested "places at the port: the oldest silent one goes first, this user's last" \
        cargo test -q --workspace --lib -- strangers owner
    tested "what a launcher hands to its JVM, and what of it is tried" \
        cargo test -q --workspace --lib -- launcher tryout
    tested "a manifest loses its digests and nothing else" cargo test -q --workspace --lib -- signature
    tested "the room of a thread that has ended is given back, and what is counted stays" \
        cargo test -q --workspace --lib -- rings::tests::the_ring_of
    tested "no character that misleads is shown, and JSON says the same" cargo test -q --workspace --lib -- text
    without_tmp
}

# A controller in a machine whose /tmp can only be read: the socket lies elsewhere, and the program is measured.
without_tmp() {
    local claim="where /tmp and the output folder can only be read, the program runs" folder log=$work/read-only.txt
    build_tests
    if ! unshare -rm true 2>/dev/null; then
        printf 'skip %s: no user namespaces here\n' "$claim"
        return
    fi
    folder=$(mktemp -d -p "$TARGET")
    mkdir "$folder/out"
    javac --release 11 -d "$folder" tests-java/CompareLoop.java tests-java/Life.java
    printf 'CompareLoop.fast([I)J\n' >"$folder/one.tasks"
    printf '[controller]\nrun-mode = measurement\n' >"$folder/spl.ini"
    # $1: what can only be read, apart from /tmp; the rest: more options.
    alone() {
        local also=$1
        shift
        # shellcheck disable=SC2016
        unshare -rm sh -ec 'mount -t tmpfs -o ro none /tmp; mount -t tmpfs -o ro none "$1"; shift; exec "$@"' sh "$also" \
            env -u XDG_RUNTIME_DIR -u HOME -u TMPDIR "$TARGET/debug/spl" run "$@" --config "$folder/spl.ini" --tasks "$folder/one.tasks" \
            --out "$folder/out" -- java -cp "$folder" CompareLoop 20000 >"$log" 2>&1 </dev/null || true
    }
    alone /tmp
    if grep -q "spl: measuring Java" "$log" && grep -qx ended "$log"; then
        ok "where /tmp can only be read, the program is measured"
    else
        fail "where /tmp can only be read, the program is measured"
        tail -n 5 "$log"
    fi
    alone "$folder/out"
    if grep -q "is started and is not measured" "$log" && grep -qx ended "$log"; then ok "$claim"; else
        fail "$claim"
        tail -n 5 "$log"
    fi
    alone "$folder/out" --require
    if ! grep -qx ended "$log"; then ok "and does not with --require"; else fail "and does not with --require"; fi
    rm -rf "$folder"
}
