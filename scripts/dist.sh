#!/usr/bin/env bash
# Builds and packs what is given out, into OUT (dist, or $1): a tar archive, packages of Debian and of RPM, an OCI image, the symbols,
# the list of the crates, and SHA256SUMS, signed if $SPL_SIGNING_KEY names a key of ssh-keygen. The same commit and the same
# tools give the same bytes, in any folder and at any time, but for the archive of symbols.
# With $CARGO_TARGET_DIR the programs are built there.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022
export LC_ALL=C TZ=UTC

# The processor is this machine's.
readonly ARCH=x86_64 DEB_ARCH=amd64 OCI_ARCH=amd64
readonly TRIPLE=$ARCH-unknown-linux-gnu
readonly OUT=${1:-dist}
readonly TOOLS=$PWD/.cache/dist
TARGET=$(realpath -m "${CARGO_TARGET_DIR:-target}")
readonly TARGET
readonly BUILT=$TARGET/$TRIPLE/dist
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
[[ $(uname -m) == "$ARCH" ]] || fail "packages are made on $ARCH only, not on $(uname -m)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly TREE=$work/tree

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
    local quick=() crate
    # Changing classes is what a program waits for.
    for crate in spl-bytecode spl-classfile spl-graph; do quick+=(--config "profile.dist.package.$crate.opt-level=3"); done
    say "building the agent for glibc 2.17 and later, and musl"
    # As a library of C alone: a library of Rust next to it would keep the linker from seeing the whole.
    build "" cargo-zigbuild rustc --locked --profile dist "${quick[@]}" -p spl-agent --lib --crate-type cdylib --target "$TRIPLE.2.17" --target-dir "$TARGET"
    say "building spl, without a library that it needs"
    build -Ctarget-feature=+crt-static cargo rustc --locked --profile dist -p spl-controller --bin spl --target "$TRIPLE" --target-dir "$TARGET" \
        -- -Clink-arg=-Wl,-z,pack-relative-relocs
}

# Puts a program into the tree and its symbols into a tree of their own. $1: program.
strip_program() {
    local file=$TREE/usr/lib/spl/$1 symbols=$work/symbols/usr/lib/debug/usr/lib/spl/$1.debug
    install -D "$BUILT/$1" "$file"
    mkdir -p "${symbols%/*}"
    objcopy --only-keep-debug --compress-debug-sections "$file" "$symbols"
    chmod 644 "$symbols"
    strip --strip-all "$file"
}

# musl finds its own names in libc.so.6, but no loader of glibc. The only name of that loader is in every libc.
drop_loader() {
    local agent=$TREE/usr/lib/spl/libspl_agent.so
    patchelf --remove-needed ld-linux-x86-64.so.2 "$agent"
    patchelf --clear-symbol-version __tls_get_addr "$agent"
    chmod 644 "$agent"
}

# The symbols of spl are found by name and digest. Those of the agent have line tables of zig's unwinder with places of this machine in
# them, and a digest of them would come into the agent: they are named to a debugger by hand.
link_symbols() {
    (cd "$work/symbols/usr/lib/debug/usr/lib/spl" && objcopy --add-gnu-debuglink=spl.debug "$TREE/usr/lib/spl/spl")
}

# All that every package has.
stage() {
    local spl=$TREE/usr/lib/spl/spl docs=$TREE/usr/share/doc/spl file
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
    install -D -m 644 -t "$docs" README.md docs/*.md docs/report.png "$work/sbom.json"
    # Only files of the commit; built classes lie next to them.
    git ls-files examples docs/schema | while read -r file; do install -D -m 644 "$file" "$docs/${file#docs/}"; done
    install -m 644 LICENSE "$docs/copyright"
    gzip -9nc CHANGELOG.md >"$docs/changelog.gz"
    find "$TREE" "$work/symbols" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
}

# A sorted archive of root's files. $1: folder; $2: name of its top folder; $3: archive.
pack() {
    tar --create --directory "$1" --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
        --transform "flags=r;s,^\.,$2," . | xz --threads=1 -9 >"$3"
}

deb() {
    local root=$work/deb
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
    mkdir -p "$work/rpm"
    (cd "$TREE" && find . -not -type d -printf '/%P\n' | sort) >"$work/rpm/files"
    sed -e "s/@VERSION@/$VERSION/" packaging/spl.spec >"$work/rpm/spl.spec"
    # Everything of this machine, of its clock and of its user is named.
    HOME=$work rpmbuild -bb --quiet --target "$ARCH-linux" --define "_topdir $work/rpm" --define "_dbpath $work/rpm/db" \
        --define "_rpmdir $work/rpm/out" --define "tree $TREE" --define "list $work/rpm/files" --define "_buildhost reproducible" \
        --define "use_source_date_epoch_as_buildtime 1" --define "clamp_mtime_to_source_date_epoch 1" \
        --define "_binary_payload w9.xzdio" --buildroot "$work/rpm/root" "$work/rpm/spl.spec" >"$work/rpm.txt" 2>&1 ||
        fail "rpmbuild: $(tail -n 5 "$work/rpm.txt")"
    cp "$work/rpm/out/$ARCH"/*.rpm "$OUT/"
}

# The image has no pages and examples.
image() {
    local root=$work/image
    mkdir -p "$root/usr/share/doc/spl"
    cp -a "$TREE/usr/bin" "$TREE/usr/lib" "$root/usr/"
    rm -r "$root/usr/lib/systemd"
    # For the sockets of spl and of JVMs.
    mkdir -m 1777 "$root/tmp"
    cp -a "$TREE/usr/share/doc/spl/copyright" "$TREE/usr/share/doc/spl/sbom.json" "$root/usr/share/doc/spl/"
    scripts/dist/image.py "$root" "$OUT/spl-$VERSION-$ARCH-oci.tar" --epoch "$SOURCE_DATE_EPOCH" --arch "$OCI_ARCH" --version "$VERSION"
}

sums() {
    cp "$work/sbom.json" "$OUT/spl-$VERSION-sbom.json"
    (cd "$OUT" && sha256sum -- *.tar.xz *.deb *.rpm *.tar *.json >SHA256SUMS)
    if [[ -n ${SPL_SIGNING_KEY:-} ]]; then
        ssh-keygen -q -Y sign -f "$SPL_SIGNING_KEY" -n spl-dist "$OUT/SHA256SUMS"
    else
        say "not signed: SPL_SIGNING_KEY names no key (ssh-keygen -t ed25519)"
    fi
}

scripts/setup.sh --dist
rm -rf "$OUT"
mkdir -p "$OUT"
build_programs
strip_program spl
strip_program libspl_agent.so
drop_loader
link_symbols
scripts/dist/check.py "$TREE/usr/lib/spl/spl" "$TREE/usr/lib/spl/libspl_agent.so" --musl "/lib/ld-musl-$ARCH.so.1"
scripts/dist/sbom.py write "$work/sbom.json" --epoch "$SOURCE_DATE_EPOCH" --target "$TRIPLE"
scripts/dist/sbom.py compare "$work/sbom.json" "$BUILT/spl" "$BUILT/libspl_agent.so"
stage
pack "$TREE" "spl-$VERSION" "$OUT/spl-$VERSION-$ARCH.tar.xz"
pack "$work/symbols" "spl-$VERSION-symbols" "$OUT/spl-$VERSION-$ARCH-symbols.tar.xz"
deb
rpm
image
sums
say "made in $OUT:"
(cd "$OUT" && ls -l --time-style=+ -- *)
