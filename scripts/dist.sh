#!/usr/bin/env bash
# Builds and packs what is given out, into OUT (dist, or $1): for each processor a tar archive, packages of Debian and of RPM, an OCI
# image, the symbols, the list of the crates; and SHA256SUMS, signed if $SPL_SIGNING_KEY names a key of ssh-keygen. The same commit and
# the same tools give the same bytes, in any folder and at any time, but for the archives of symbols.
# $SPL_DIST_PROCESSORS names the processors (x86_64 aarch64). With $CARGO_TARGET_DIR the programs are built there.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022
export LC_ALL=C TZ=UTC

# This machine's, whose programs are built first: manual pages and completions are what they print.
readonly HOST=x86_64
readonly PROCESSORS=${SPL_DIST_PROCESSORS:-$HOST aarch64}
readonly OUT=${1:-dist}
readonly TOOLS=$PWD/.cache/dist
TARGET=$(realpath -m "${CARGO_TARGET_DIR:-target}")
readonly TARGET
VERSION=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
readonly VERSION
# Time of all files: that of the commit.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

say() { printf 'dist: %s\n' "$*"; }
fail() {
    printf 'dist: %s\n' "$*" >&2
    exit 1
}
[[ $(uname -m) == "$HOST" ]] || fail "packages are made on $HOST only, not on $(uname -m)"
[[ " $PROCESSORS " == " $HOST "* ]] || fail "SPL_DIST_PROCESSORS begins with $HOST, whose spl prints the manual pages; it is: $PROCESSORS"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Sets what depends on the processor. $1: its name, as in the target of rustc.
processor() {
    case $1 in
    x86_64) DEB_ARCH=amd64 OCI_ARCH=amd64 CROSS='' ;;
    aarch64) DEB_ARCH=arm64 OCI_ARCH=arm64 CROSS=aarch64-linux-gnu- ;;
    *) fail "SPL_DIST_PROCESSORS names $1: there are x86_64 and aarch64" ;;
    esac
    ARCH=$1
    TRIPLE=$ARCH-unknown-linux-gnu
    # As cargo's variables have it.
    TRIPLE_NAME=$(tr a-z- A-Z_ <<<"$TRIPLE")
    BUILT=$TARGET/$TRIPLE/dist
    TREE=$work/$ARCH/tree
    SYMBOLS=$work/$ARCH/symbols
    mkdir -p "$TREE"
    [[ -d $(rustc --print target-libdir --target "$TRIPLE") ]] ||
        fail "rustc has no standard library for $TRIPLE: rustup target add $TRIPLE, or leave $ARCH out with SPL_DIST_PROCESSORS=$HOST"
}

# Runs cargo so that no path of this machine comes into the programs. $1: more flags of the compiler, or nothing; the rest: the command.
build() {
    local flags=(
        --remap-path-prefix "${CARGO_HOME:-$HOME/.cargo}=/cargo" --remap-path-prefix "$TARGET=/target" --remap-path-prefix "$PWD=/spl"
        # An identity that is a digest of the symbols' paths too.
        -C link-arg=-Wl,--build-id=none)
    [[ -z $1 ]] || flags+=("$1")
    shift
    local IFS=$'\x1f'
    # The linker's own caches and paths stay with the tools.
    CARGO_ENCODED_RUSTFLAGS="${flags[*]}" PATH=$TOOLS/bin:$PATH CARGO_ZIGBUILD_CACHE_DIR=$TOOLS/cache ZIG_GLOBAL_CACHE_DIR=$TOOLS/zig "$@"
}

build_programs() {
    local quick=() links=() crate
    # Changing classes is what a program waits for.
    for crate in spl-bytecode spl-classfile spl-graph; do quick+=(--config "profile.dist.package.$crate.opt-level=3"); done
    say "building the agent for $ARCH, glibc 2.17 and later, and musl"
    # As a library of C alone: a library of Rust next to it would keep the linker from seeing the whole.
    build "" cargo-zigbuild rustc --locked --profile dist "${quick[@]}" -p spl-agent --lib --crate-type cdylib --target "$TRIPLE.2.17" --target-dir "$TARGET"
    say "building spl for $ARCH, without a library that it needs"
    # The linker for arm64 does not know how to pack them.
    [[ -n $CROSS ]] || links=(-- -Clink-arg=-Wl,-z,pack-relative-relocs)
    build -Ctarget-feature=+crt-static env "CARGO_TARGET_${TRIPLE_NAME}_LINKER=${CROSS}gcc" \
        cargo rustc --locked --profile dist -p spl-controller --bin spl --target "$TRIPLE" --target-dir "$TARGET" "${links[@]}"
}

# Puts a program into the tree and its symbols into a tree of their own. $1: program.
strip_program() {
    local file=$TREE/usr/lib/spl/$1 symbols=$SYMBOLS/usr/lib/debug/usr/lib/spl/$1.debug
    install -D "$BUILT/$1" "$file"
    mkdir -p "${symbols%/*}"
    "${CROSS}objcopy" --only-keep-debug --compress-debug-sections "$file" "$symbols"
    chmod 644 "$symbols"
    "${CROSS}strip" --strip-all "$file"
}

# musl finds its own names in libc.so.6, but no loader of glibc. The only name of that loader is in every libc. On arm64 nothing is
# needed of it.
drop_loader() {
    local agent=$TREE/usr/lib/spl/libspl_agent.so
    chmod 644 "$agent"
    [[ $ARCH == x86_64 ]] || return 0
    patchelf --remove-needed ld-linux-x86-64.so.2 "$agent"
    patchelf --clear-symbol-version __tls_get_addr "$agent"
}

# The symbols of spl are found by name and digest. Those of the agent have line tables of zig's unwinder with places of this machine in
# them, and a digest of them would come into the agent: they are named to a debugger by hand.
link_symbols() {
    (cd "$SYMBOLS/usr/lib/debug/usr/lib/spl" && "${CROSS}objcopy" --add-gnu-debuglink=spl.debug "$TREE/usr/lib/spl/spl")
}

# All that every package has.
stage() {
    local spl=$work/$HOST/tree/usr/lib/spl/spl docs=$TREE/usr/share/doc/spl file
    mkdir -p "$TREE/usr/bin"
    # A link, so that spl finds the library next to itself.
    ln -s ../lib/spl/spl "$TREE/usr/bin/spl"
    mkdir -p "$TREE/usr/share/man"
    "$spl" man "$TREE/usr/share/man/man1" >/dev/null
    gzip -9n "$TREE"/usr/share/man/man1/*
    mkdir -p "$TREE"/usr/share/{bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}
    "$spl" completions bash >"$TREE/usr/share/bash-completion/completions/spl"
    "$spl" completions zsh >"$TREE/usr/share/zsh/site-functions/_spl"
    "$spl" completions fish >"$TREE/usr/share/fish/vendor_completions.d/spl.fish"
    install -D -m 644 -t "$TREE/usr/lib/systemd/system" packaging/systemd/*.service
    install -D -m 644 -t "$docs" README.md docs/*.md docs/report.png "$work/$ARCH/sbom.json"
    # Only files of the commit; built classes lie next to them.
    git ls-files examples docs/schema | while read -r file; do install -D -m 644 "$file" "$docs/${file#docs/}"; done
    install -m 644 LICENSE "$docs/copyright"
    gzip -9nc CHANGELOG.md >"$docs/changelog.gz"
    find "$TREE" "$SYMBOLS" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
}

# A sorted archive of root's files. $1: folder; $2: name of its top folder; $3: archive.
pack() {
    tar --create --directory "$1" --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
        --transform "flags=r;s,^\.,$2," . | xz --threads=1 -9 >"$3"
}

deb() {
    local root=$work/$ARCH/deb
    cp -a "$TREE" "$root"
    mkdir -p "$root/DEBIAN" "$root/usr/share/lintian/overrides" "$root/lib"
    # Debian 12 looks for units here.
    mv "$root/usr/lib/systemd" "$root/lib/systemd"
    mkdir -p "$root/usr/share/zsh/vendor-completions"
    mv "$root/usr/share/zsh/site-functions/_spl" "$root/usr/share/zsh/vendor-completions/_spl"
    rmdir "$root/usr/share/zsh/site-functions"
    cp packaging/lintian-overrides "$root/usr/share/lintian/overrides/spl"
    sed -e "s/@VERSION@/$VERSION/; s/@ARCH@/$DEB_ARCH/; s/@SIZE@/$(du -sk --apparent-size "$TREE" | cut -f 1)/" packaging/control >"$root/DEBIAN/control"
    (cd "$root" && find . -path ./DEBIAN -prune -o -type f -printf '%P\n' | sort | xargs md5sum) >"$root/DEBIAN/md5sums"
    find "$root" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group --threads-max=1 -Zxz --build "$root" "$OUT/spl_${VERSION}_$DEB_ARCH.deb" >/dev/null
}

rpm() {
    local rpm=$work/$ARCH/rpm
    mkdir -p "$rpm"
    (cd "$TREE" && find . -not -type d -printf '/%P\n' | sort) >"$rpm/files"
    sed -e "s/@VERSION@/$VERSION/" packaging/spl.spec >"$rpm/spl.spec"
    # Everything of this machine, of its clock and of its user is named.
    HOME=$work rpmbuild -bb --quiet --target "$ARCH-linux" --define "_topdir $rpm" --define "_dbpath $rpm/db" \
        --define "_rpmdir $rpm/out" --define "tree $TREE" --define "list $rpm/files" --define "_buildhost reproducible" \
        --define "use_source_date_epoch_as_buildtime 1" --define "clamp_mtime_to_source_date_epoch 1" \
        --define "_binary_payload w9.xzdio" --buildroot "$rpm/root" "$rpm/spl.spec" >"$rpm.txt" 2>&1 ||
        fail "rpmbuild: $(tail -n 5 "$rpm.txt")"
    cp "$rpm/out/$ARCH"/*.rpm "$OUT/"
}

# The image has no pages and examples.
image() {
    local root=$work/$ARCH/image
    mkdir -p "$root/usr/share/doc/spl"
    cp -a "$TREE/usr/bin" "$TREE/usr/lib" "$root/usr/"
    rm -r "$root/usr/lib/systemd"
    # For the sockets of spl and of JVMs.
    mkdir -m 1777 "$root/tmp"
    cp -a "$TREE/usr/share/doc/spl/copyright" "$TREE/usr/share/doc/spl/sbom.json" "$root/usr/share/doc/spl/"
    scripts/dist/image.py "$root" "$OUT/spl-$VERSION-$ARCH-oci.tar" --epoch "$SOURCE_DATE_EPOCH" --arch "$OCI_ARCH" --version "$VERSION"
}

sums() {
    (cd "$OUT" && sha256sum -- *.tar.xz *.deb *.rpm *.tar *.json >SHA256SUMS)
    if [[ -n ${SPL_SIGNING_KEY:-} ]]; then
        ssh-keygen -q -Y sign -f "$SPL_SIGNING_KEY" -n spl-dist "$OUT/SHA256SUMS"
    else
        say "not signed: SPL_SIGNING_KEY names no key (ssh-keygen -t ed25519)"
    fi
}

# All that is given out for a processor. $1: its name.
give_out() {
    processor "$1"
    build_programs
    strip_program spl
    strip_program libspl_agent.so
    drop_loader
    link_symbols
    # musl has the same names for each processor.
    scripts/dist/check.py "$TREE/usr/lib/spl/spl" "$TREE/usr/lib/spl/libspl_agent.so" --musl "/lib/ld-musl-$HOST.so.1"
    scripts/dist/sbom.py write "$work/$ARCH/sbom.json" --epoch "$SOURCE_DATE_EPOCH" --target "$TRIPLE"
    scripts/dist/sbom.py compare "$work/$ARCH/sbom.json" "$BUILT/spl" "$BUILT/libspl_agent.so"
    cp "$work/$ARCH/sbom.json" "$OUT/spl-$VERSION-$ARCH-sbom.json"
    stage
    pack "$TREE" "spl-$VERSION" "$OUT/spl-$VERSION-$ARCH.tar.xz"
    pack "$SYMBOLS" "spl-$VERSION-symbols" "$OUT/spl-$VERSION-$ARCH-symbols.tar.xz"
    deb
    rpm
    image
}

scripts/setup.sh --dist
rm -rf "$OUT"
mkdir -p "$OUT"
for name in $PROCESSORS; do give_out "$name"; done
sums
say "made in $OUT:"
(cd "$OUT" && ls -l --time-style=+ -- *)
