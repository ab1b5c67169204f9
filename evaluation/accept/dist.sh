#!/usr/bin/env bash
# The artefacts of `make dist`: small programs for every C library, packages that leave nothing, units that are confined, an image that
# measures, the same bytes from another folder, and one clear line where something does not fit. Prints a line "ok|FAIL claim figure" for
# each claim and fails if one does. The full form runs `make dist` twice, which takes an hour, and needs what `scripts/setup.sh --dist`
# and `--dist-check` install; programs for arm64 run under qemu-user. The bounded form builds nothing for release: it checks the folder
# dist, if there is one.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"
forms

readonly LIB=evaluation/accept/lib/dist
readonly CHECKS=$PWD/.cache/dist-check
OUT=$PWD/dist
readonly UNITS=packaging/systemd
# Highest exposure that systemd may say of a unit.
readonly MOST_EXPOSED=2.0

# A line for a claim. $1: claim; $2: figure; the rest: its condition.
shows() {
    local claim=$1 figure=$2
    shift 2
    if "$@"; then ok "$claim: $figure"; else fail "$claim: $figure"; fi
}

# A tool that other systems lack. $1: tool; $2: claim.
has() {
    command -v "$1" >/dev/null && return
    skip "$2: there is no $1"
    return 1
}

units() {
    local unit exposure said
    has systemd-analyze "units are confined" || return 0
    for unit in "$UNITS"/*.service; do
        exposure=$(systemd-analyze security --offline=true --no-pager "$unit" 2>/dev/null | sed -nE 's/.*exposure level for .*: ([0-9.]+) .*/\1/p')
        shows "${unit##*/} is confined, at most $MOST_EXPOSED by systemd-analyze" "${exposure:-none}" \
            awk -v found="${exposure:-99}" -v most="$MOST_EXPOSED" 'BEGIN { exit !(found <= most) }'
        mkdir -p "$work/units"
        sed -e "s,/usr/bin/spl,$BIN/spl,; s/%i/root/g" "$unit" >"$work/units/$(basename "$unit" | tr -d @)"
    done
    # Lines about other units are of the machine's own.
    said=$(SYSTEMD_UNIT_PATH="$work/units:" systemd-analyze verify --man=no "$work"/units/*.service 2>&1 | grep -E 'spl(-serve)?\.service' || true)
    shows "systemd understands both units" "${said:-nothing said}" test -z "$said"
}

manifests() {
    local file release said wrong=0
    if [[ ! -x $CHECKS/bin/kubernetes-validate ]]; then
        skip "manifests of Kubernetes follow its schemas: scripts/setup.sh --dist-check installs them"
        return
    fi
    for file in examples/kubernetes/*.yaml examples/kubernetes/*.json; do
        for release in 1.29 1.33 1.37; do
            said=$("$CHECKS/bin/kubernetes-validate" --strict --no-warn -k "$release" "$file" 2>&1) || { wrong=$((wrong + 1)) && printf '%s\n' "$said"; }
        done
    done
    shows "manifests follow the schemas of Kubernetes 1.29, 1.33 and 1.37, strictly" "$wrong wrong" test "$wrong" -eq 0
}

# A program without files in memory can be measured, and a drill says why it counts nothing; the program does not notice.
old_kernel() {
    local late=0 alone
    cc -O1 -o "$work/old-kernel" "$LIB/old-kernel.c"
    javac --release 11 -d "$work" tests-java/CompareLoop.java tests-java/Life.java
    alone=$(timeout 60 java -cp "$work" CompareLoop 5 1000 </dev/null 2>/dev/null || true)
    timeout 120 "$work/old-kernel" "$BIN/spl" drill --methods CompareLoop --out "$work/drill" -- java -cp "$work" CompareLoop 5 1000 \
        >"$work/out.txt" 2>"$work/log.txt" </dev/null || late=$?
    shows "a kernel without files in memory: a drill names it in one line" "$(grep -c 'Linux has since version 3.17' "$work/log.txt" || true) lines, status $late" \
        grep -q 'Linux has since version 3.17' "$work/log.txt"
    shows "a kernel without files in memory: the program prints what it prints alone" "$(wc -c <"$work/out.txt") bytes" \
        test "$(<"$work/out.txt")" = "$alone"
}

# A library for another processor, and an /etc that can only be read.
bad_input() {
    local said before root=$work/root
    cp "$BIN/libspl_agent.so" "$work/other.so"
    # Byte 18 of the head is the processor: 183 is arm64.
    printf '\xb7' | dd of="$work/other.so" bs=1 seek=18 conv=notrunc status=none
    said=$(java "-agentpath:$work/other.so" -version 2>&1 || true)
    said=$("$BIN/spl" client --require --agent "$work/other.so" -- java -version 2>&1 || true)
    shows "a library for another processor: spl says what it has to be built for" "$(tail -n 1 <<<"$said")" grep -q "machine and C library" <<<"$said"
    said=$("$BIN/spl" enable dbus --agent "$work/other.so" 2>&1 || true)
    shows "a library for another processor: spl enable refuses it in one line" "$said" grep -q 'is for aarch64' <<<"$said"
    if ! unshare -m true 2>/dev/null; then
        skip "a system that can only be read is left as it is: needs root and namespaces"
        return
    fi
    mkdir -p "$root/etc/systemd/system" "$root/usr/lib/systemd/system" "$root/usr/lib/spl"
    install -m 644 "$BIN/libspl_agent.so" "$root/usr/lib/spl/"
    printf '[Service]\nExecStart=/usr/bin/java -jar a.jar\n' >"$root/usr/lib/systemd/system/shop.service"
    before=$(find "$root" | sort)
    # shellcheck disable=SC2016
    said=$(unshare -m sh -c 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && "$2" enable shop --root "$1" --agent /usr/lib/spl/libspl_agent.so' \
        sh "$root" "$BIN/spl" 2>&1 || true)
    shows "a system that can only be read: one line with the remedy" "$said" grep -q 'Read-only file system.*--runtime' <<<"$said"
    shows "a system that can only be read is left as it is" "$(wc -l <<<"$before") files" test "$(find "$root" | sort)" = "$before"
}

# The folder that `make dist` has made. $1: folder.
artefacts() {
    local out=$1 arch
    shows "the sums are right" "$(wc -l <"$out/SHA256SUMS") files" sh -c "cd '$out' && sha256sum --quiet --strict -c SHA256SUMS"
    for arch in x86_64 aarch64; do
        if ! compgen -G "$out/spl-*-$arch.tar.xz" >/dev/null; then
            skip "artefacts for $arch: $out has none"
            continue
        fi
        archive "$out" "$arch"
        programs "$arch"
        rpm_is_whole "$out"/*."$arch.rpm"
    done
    linted "$out"/*.deb
    deb "$out"/*_amd64.deb
    rpm_package "$out"/*.x86_64.rpm
    image "$out"/*-x86_64-oci.tar
    signed "$out"
    SPL=$work/x86_64/usr/lib/spl/spl AGENT=$work/x86_64/usr/lib/spl/libspl_agent.so
    smoke
    [[ ! -e $work/aarch64 ]] || arm64
}

# Sizes and needs of unpacked programs. $1: processor.
programs() {
    local line
    while read -r line; do
        case $line in
        ok*) ok "$1: ${line#ok  }" ;;
        *) fail "$1: ${line#FAIL }" ;;
        esac
    done < <(scripts/dist/check.py "$work/$1/usr/lib/spl/spl" "$work/$1/usr/lib/spl/libspl_agent.so" --musl /lib/ld-musl-x86_64.so.1 2>&1)
}

# $1: folder; $2: processor.
archive() {
    local said file
    mkdir -p "$work/$2"
    tar --extract --xz --file "$1"/spl-*-"$2.tar.xz" --directory "$work/$2" --strip-components=1
    said=$(tar --list --verbose --xz --file "$1"/spl-*-"$2.tar.xz" | awk '{ print $2 }' | sort -u)
    shows "$2: everything in the tar archive belongs to root" "$said" test "$said" = 0/0
    for file in usr/share/man/man1/spl.1.gz usr/share/bash-completion/completions/spl usr/lib/systemd/system/spl@.service \
        usr/share/doc/spl/copyright usr/share/doc/spl/examples/rome/README.md usr/share/doc/spl/manual.md; do
        [[ -e $work/$2/$file ]] || fail "$2: the tar archive has $file"
    done
}

# Files and folders of a root folder but for those of the package manager. $1: folder.
left_in() { (cd "$1" && find . -not -path './var/*' | sort); }

linted() {
    local said
    has lintian "lintian finds nothing in the debs" || return 0
    said=$(lintian --fail-on error,warning --no-tag-display-limit "$@" 2>/dev/null || true)
    shows "lintian finds nothing in $# debs" "${said:-nothing}" test -z "$said"
}

deb() {
    local root=$work/debian said before twice=0
    mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/usr/lib" "$root/etc"
    touch "$root/var/lib/dpkg/status" "$root/var/lib/dpkg/available"
    before=$(left_in "$root")
    dpkg --root="$root" --log=/dev/null --install "$1" >"$work/dpkg.txt" 2>&1 && dpkg --root="$root" --log=/dev/null --install "$1" >>"$work/dpkg.txt" 2>&1 || twice=$?
    shows "the deb can be installed, and again over itself" "$(tail -n 1 "$work/dpkg.txt")" test "$twice" -eq 0
    shows "the installed spl runs in that root folder" "$(chroot "$root" /usr/bin/spl --version 2>&1)" chroot "$root" /usr/bin/spl --version
    dpkg --root="$root" --log=/dev/null --purge spl >"$work/dpkg.txt" 2>&1 || fail "the deb can be purged"
    said=$(diff <(printf '%s\n' "$before") <(left_in "$root") || true)
    shows "purging it leaves no file" "${said:-nothing left}" test -z "$said"
}

rpm_is_whole() {
    local said
    has rpm "the rpm is whole" || return 0
    said=$(rpm -K --nosignature "$1" 2>&1)
    shows "rpm -K finds ${1##*/} whole" "${said##*: }" grep -q 'digests OK' <<<"$said"
    said=$(rpm -qp --requires "$1" 2>/dev/null | grep -v '^rpmlib' || true)
    shows "the rpm needs no other package" "${said:-none}" test -z "$said"
    said=$(rpm -qpl "$1" 2>/dev/null | grep -cE '^/usr/(bin/spl|lib/spl/(spl|libspl_agent.so))$')
    shows "the rpm has the programs" "$said" test "$said" = 3
}

rpm_package() {
    local root=$work/redhat said before
    has rpm "the rpm can be installed and erased" || return 0
    mkdir -p "$root/usr/lib" "$root/etc"
    before=$(left_in "$root")
    HOME=$work rpm --root "$root" --dbpath /var/lib/rpm --install --nodeps --nosignature "$1" >"$work/rpm.txt" 2>&1 || fail "the rpm can be installed: $(tail -n 1 "$work/rpm.txt")"
    shows "the installed spl runs in that root folder" "$(chroot "$root" /usr/bin/spl --version 2>&1)" chroot "$root" /usr/bin/spl --version
    HOME=$work rpm --root "$root" --dbpath /var/lib/rpm --erase spl >"$work/rpm.txt" 2>&1 || fail "the rpm can be erased: $(tail -n 1 "$work/rpm.txt")"
    said=$(diff <(printf '%s\n' "$before") <(left_in "$root") | grep '^[<>]' | grep -vE '^> \./usr(/bin|/share.*)?$' || true)
    shows "erasing it leaves no file" "${said:-nothing left}" test -z "$said"
}

# The image's root folder, with a JDK and its C library put into it from outside, measures a program.
image() {
    local layout=$work/layout root said late=0 home
    mkdir -p "$layout"
    tar --extract --file "$1" --directory "$layout"
    if has umoci "the image is one of OCI, by umoci"; then
        shows "the image is one of OCI, by umoci" "$(umoci unpack --rootless --image "$layout:$(version)" "$work/bundle" 2>&1 | tail -n 1)" test -x "$work/bundle/rootfs/usr/lib/spl/spl"
    fi
    root=$work/bundle/rootfs
    home=$(awk '$1 != 17 { print $2 }' "$work/jdks" | tail -n 1)
    if ! unshare -m true 2>/dev/null || [[ -z $home || ! -d $root ]]; then
        skip "the image measures a JVM: needs root, namespaces, umoci, and a JDK of scripts/jdks.sh"
        return
    fi
    javac --release 11 -d "$work/classes" tests-java/CompareLoop.java tests-java/Life.java
    mkdir -p "$root/lib64" "$root/usr/lib/x86_64-linux-gnu" "$root/proc" "$root/jdk" "$root/work"
    ln -sfn usr/lib "$root/lib"
    cp "$work"/classes/*.class "$root/work"
    printf '%s\n' 'CompareLoop.fast([I)J <= CompareLoop.slow([I)J' >"$root/work/t.tasks"
    printf '%s\n' '[communication]' 'initial-sleep = 0' '[scheduler]' 'profile = thesis' 'overhead-budget = none' >"$root/work/spl.ini"
    # shellcheck disable=SC2016
    unshare -mpf sh -ec 'mount --bind /usr/lib64 "$1/lib64"; mount --bind /usr/lib/x86_64-linux-gnu "$1/usr/lib/x86_64-linux-gnu"
        mount --bind "$2" "$1/jdk"; mount -t proc proc "$1/proc"
        exec chroot "$1" /usr/bin/spl run --config /work/spl.ini --tasks /work/t.tasks --out /work/out --until-decided --stop-program --for 120s -- /jdk/bin/java -cp /work CompareLoop 1000000000 1000' \
        sh "$root" "$home" >"$work/log.txt" 2>&1 </dev/null || late=$?
    said=$(grep -c 'start' "$root"/work/out/measurements/*.msr 2>/dev/null | awk -F : '{ sum += $2 } END { print sum + 0 }')
    shows "the unpacked image measures a JVM in it" "$said lines of samples, status $late" test "$said" -gt 0
    [[ $said -gt 0 ]] || tail -n 5 "$work/log.txt"
}

version() { sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1; }

# With a key made for this, as scripts/dist.sh signs.
signed() {
    local sums=$work/signed verify
    has ssh-keygen "a signature is checked without a network" || return 0
    mkdir -p "$sums"
    cp "$1/SHA256SUMS" "$sums"
    ssh-keygen -q -t ed25519 -N '' -C spl-dist -f "$work/key"
    ssh-keygen -q -Y sign -f "$work/key" -n spl-dist "$sums/SHA256SUMS"
    printf 'spl-dist namespaces="spl-dist" %s\n' "$(<"$work/key.pub")" >"$work/signers"
    verify="ssh-keygen -q -Y verify -f '$work/signers' -I spl-dist -n spl-dist -s '$sums/SHA256SUMS.sig' <'$sums/SHA256SUMS'"
    local without=(unshare -n)
    unshare -n true 2>/dev/null || without=()
    shows "a signature is checked without a network" "${without[*]:-no namespace}" "${without[@]}" sh -c "$verify >/dev/null"
    sed -i '1s/^./x/' "$sums/SHA256SUMS"
    shows "one byte that differs fails" "sums with one other byte" sh -c "! $verify >/dev/null 2>&1"
}

# The programs as they are given out measure and drill on each JDK.
smoke() { on_each_jdk smoke_on; }

smoke_on() {
    local late=0 drilled=0 folder=$work/smoke-$number
    mkdir -p "$folder"
    javac --release 11 -d "$work/classes" tests-java/CompareLoop.java tests-java/Life.java
    printf '%s\n' 'CompareLoop.fast([I)J <= CompareLoop.slow([I)J' >"$folder/t.tasks"
    printf '%s\n' '[communication]' 'initial-sleep = 0' '[scheduler]' 'profile = thesis' 'overhead-budget = none' >"$folder/spl.ini"
    timeout 180 "$SPL" run --config "$folder/spl.ini" --tasks "$folder/t.tasks" --out "$folder/out" --until-decided --stop-program --for 120s -- \
        "$home/bin/java" -cp "$work/classes" CompareLoop 1000000000 1000 >"$folder/log.txt" 2>&1 </dev/null || late=$?
    shows "JDK $number: the packed programs measure" "status $late" test "$late" -eq 0
    [[ $late -eq 0 ]] || tail -n 5 "$folder/log.txt"
    timeout 180 "$SPL" drill --methods CompareLoop --out "$folder/drill" -- "$home/bin/java" -cp "$work/classes" CompareLoop 200 1000 \
        >"$folder/log.txt" 2>&1 </dev/null || drilled=$?
    shows "JDK $number: the packed programs drill" "status $drilled" test "$drilled" -eq 0
    [[ $drilled -eq 0 ]] || tail -n 5 "$folder/log.txt"
}

# The programs for arm64: both under qemu-user, the agent in a JVM for arm64, which the spl of this machine measures and drills.
arm64() {
    local root=$PWD/.cache/arm64 folder=$work/smoke-arm64 other=$work/aarch64/usr/lib/spl status=0 said
    has qemu-aarch64 "the programs for arm64 run" || return 0
    if ! scripts/dist/arm64.sh; then
        skip "the programs for arm64 run: there is no JVM for it"
        return
    fi
    local foreign=(qemu-aarch64 -L "$root" "$root/usr/lib/jvm/java-17-openjdk-arm64/bin/java" -cp "$work/classes" CompareLoop)
    local native=(java -cp "$work/classes" CompareLoop)
    mkdir -p "$folder"
    javac --release 11 -d "$work/classes" tests-java/CompareLoop.java tests-java/Life.java
    printf '%s\n' 'CompareLoop.fast([I)J <= CompareLoop.slow([I)J' >"$folder/t.tasks"
    shows "arm64: spl runs" "$(qemu-aarch64 "$other/spl" --version 2>&1)" qemu-aarch64 "$other/spl" --version
    timeout 300 "$SPL" run --agent "$other/libspl_agent.so" --set initial-sleep=0 --tasks "$folder/t.tasks" --classpath "$work/classes" --out "$folder/out" \
        --until-decided --stop-program --for 240s -- "${foreign[@]}" 1000000000 1000 >"$folder/log.txt" 2>&1 </dev/null || status=$?
    shows "arm64: a claim that holds is proved" "status $status" test "$status" -eq 0
    [[ $status -eq 0 ]] || tail -n 5 "$folder/log.txt"
    # Statistics are sums and functions of floating point: another processor must not judge otherwise.
    "$SPL" eval --tasks "$folder/t.tasks" --measurements "$folder/out/measurements" --out "$folder/native.eval" >/dev/null 2>&1 || true
    qemu-aarch64 "$other/spl" eval --tasks "$folder/t.tasks" --measurements "$folder/out/measurements" --out "$folder/foreign.eval" >/dev/null 2>&1 || true
    same "arm64: spl judges the recorded samples as that of x86-64 does" "$folder"/{native,foreign}.eval
    drill_both --what blocks,calls
    same "arm64: counts of blocks are those of x86-64" "$folder"/{native,foreign}/drill/blocks.csv
    same "arm64: counts of calls are those of x86-64" "$folder"/{native,foreign}/drill/calls.csv
    drill_both --what trace --full wait
    "$SPL" trace replay "$folder/native" >"$folder/native.txt" 2>&1 || fail "the replay of a trace"
    "$SPL" trace replay "$folder/foreign" >"$folder/foreign.txt" 2>&1 || fail "arm64: the replay of a trace"
    same "arm64: the replay of a trace is that of x86-64" "$folder"/{native,foreign}.txt
    skip "arm64: the order of its stores: qemu-user on x86-64 keeps that of x86-64"
}

# Drills the same program in a JVM of each processor. Uses the variables of arm64(). $@: what.
drill_both() {
    "$SPL" drill --agent "$AGENT" --methods CompareLoop "$@" --replace --out "$folder/native" -- "${native[@]}" 20 1000 >"$folder/log.txt" 2>&1 </dev/null ||
        fail "a drill: $(tail -n 1 "$folder/log.txt")"
    timeout 300 "$SPL" drill --agent "$other/libspl_agent.so" --methods CompareLoop "$@" --replace --out "$folder/foreign" -- "${foreign[@]}" 20 1000 \
        >"$folder/log.txt" 2>&1 </dev/null || fail "arm64: a drill: $(tail -n 1 "$folder/log.txt")"
}

# $1: claim; $2, $3: files, of which neither is empty.
same() {
    local said
    if [[ ! -s $2 ]]; then
        said="$2 is empty"
    else
        said=$(cmp "$2" "$3" 2>&1 || true)
    fi
    shows "$1" "${said:-$(wc -l <"$2") lines}" test -z "$said"
}

# The agent as it is given out, and a build of it with debug assertions that panics at a given place, in processes of both libraries.
hosts() {
    local libc place said agent
    local flags=(--locked --profile dist -p spl-agent --lib --crate-type cdylib --target x86_64-unknown-linux-gnu.2.17 --target-dir "$TARGET/dist-faults")
    CARGO_PROFILE_DIST_DEBUG_ASSERTIONS=true PATH=$PWD/.cache/dist/bin:$PATH cargo-zigbuild rustc -q "${flags[@]}"
    agent=$work/faults.so
    cp "$TARGET/dist-faults/x86_64-unknown-linux-gnu/dist/libspl_agent.so" "$agent"
    patchelf --remove-needed ld-linux-x86-64.so.2 "$agent"
    patchelf --clear-symbol-version __tls_get_addr "$agent"
    cc -O1 -o "$work/host-glibc" "$LIB/host.c" -ldl
    .cache/dist/bin/python -m ziglang cc -O1 -fno-sanitize=all -target x86_64-linux-musl -dynamic -o "$work/host-musl" "$LIB/host.c"
    for libc in glibc musl; do
        said=$("$work/host-$libc" "$AGENT" 2>&1 | tr '\n' ' ' || true)
        shows "a process of $libc loads the agent" "$said" grep -q '^Agent_OnLoad 0 .*alive' <<<"$said"
        for place in Agent_OnLoad Agent_OnAttach; do
            said=$(SPL_AGENT_PANIC=$place "$work/host-$libc" "$agent" 2>&1 | tr '\n' ' ' || true)
            # A panic in the second is answered by the general error.
            shows "a process of $libc survives a panic in $place" "$said" \
                grep -q "^Agent_OnLoad 0 Agent_OnAttach $([[ $place == Agent_OnAttach ]] && echo -1 || echo '[0-9]*') alive" <<<"$said"
        done
    done
}

# Another folder and another umask. The symbols have places of the machine in zig's part, and no package has the symbols.
again() {
    local claim="two builds in different folders and with other umasks give the same bytes, but for symbols" other=$work/elsewhere/with\ a\ space
    git clone -q . "$other"
    (cd "$other" && umask 077 && env -u CARGO_TARGET_DIR scripts/dist.sh) >"$work/again.txt" 2>&1 ||
        fail "the second build: $(tail -n 3 "$work/again.txt")"
    shows "$claim" "$(diff <(grep -v symbols "$OUT/SHA256SUMS") <(grep -v symbols "$other/dist/SHA256SUMS") | grep '^<' | awk '{ print $3 }' | paste -sd ' ' || true) differ" \
        cmp -s <(grep -v symbols "$OUT/SHA256SUMS") <(grep -v symbols "$other/dist/SHA256SUMS")
    skip "builds with another clock and by another user: cargo-zigbuild hangs under faketime"
}

tested "units are enabled and disabled to the byte; those that have JAVA_TOOL_OPTIONS stay" cargo test -q -p spl-controller --test enable
tested "an agent and a controller of different versions part with one line, and the program goes on" e2e versions::
build_tests
install_jdks
BIN=$TARGET/debug
units
old_kernel
bad_input
if ((brief)); then
    manifests
    if [[ -e $OUT/SHA256SUMS ]]; then
        artefacts "$OUT"
    else
        skip "artefacts: make dist has not made the folder dist"
    fi
    skip "panics under musl, and two builds with the same bytes: the full form links programs"
else
    scripts/setup.sh --dist
    scripts/setup.sh --dist-check
    manifests
    scripts/dist.sh >"$work/dist.txt" 2>&1 || fail "make dist: $(tail -n 3 "$work/dist.txt")"
    ok "$(grep '^ok.*SBOM' "$work/dist.txt" | sed 's/^ok *//')"
    artefacts "$OUT"
    hosts
    again
fi
exit "$failed"
