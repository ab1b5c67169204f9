#!/usr/bin/env bash
# Unpacks a JVM for arm64, with the libraries that it needs, into .cache/arm64, from Debian's packages. This system stays as it is: it gets
# no further architecture. qemu-aarch64 runs the JVM there: qemu-aarch64 -L .cache/arm64 .cache/arm64/usr/lib/jvm/java-17-openjdk-arm64/bin/java
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly ROOT=.cache/arm64
readonly PACKAGES=(openjdk-17-jre-headless libc6 libgcc-s1 libstdc++6 zlib1g)
# Written last: without it, or with other names in it, the folder is made again.
readonly MARK=$ROOT/.packages

if [[ -e $MARK && $(<"$MARK") == "${PACKAGES[*]}" ]]; then
    exit 0
fi
command -v apt-get >/dev/null || {
    echo "arm64: the JVM for arm64 is unpacked from Debian's packages, and there is no apt-get" >&2
    exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Lists of their own, so that those of the system keep what they are about.
mkdir -p "$work"/{lists,cache/archives}/partial "$work/debs"
printf '%s\n' 'APT::Architectures { "amd64"; "arm64"; };' "Dir::State::lists \"$work/lists\";" "Dir::Cache \"$work/cache\";" \
    'APT::Sandbox::User "root";' >"$work/apt.conf"
export APT_CONFIG=$work/apt.conf
apt-get update -q >"$work/log" 2>&1 || {
    tail -n 3 "$work/log" >&2
    exit 1
}
(cd "$work/debs" && apt-get download -q "${PACKAGES[@]/%/:arm64}" >"$work/log" 2>&1) || {
    printf 'arm64: these packages could not be fetched: %s\n' "${PACKAGES[*]}" >&2
    tail -n 3 "$work/log" >&2
    exit 1
}
rm -rf "$ROOT"
mkdir -p "$ROOT"
for deb in "$work"/debs/*.deb; do dpkg-deb --extract "$deb" "$ROOT"; done
printf '%s' "${PACKAGES[*]}" >"$MARK"
