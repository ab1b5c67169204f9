#!/usr/bin/env bash
# Methods in archives as services are deployed: in the libraries of a JAR of Spring Boot, of a WAR, and of both when they are
# unpacked; in a JAR for several releases; in a JDK that jlink has made. Every command finds them by their names, and a
# run measures them. Prints a line "ok|FAIL claim figure" for each claim and fails if one does. Needs what `make setup`
# installs, and Maven for Spring Boot; builds what it runs. With --bounded the service of 86 MB is left out.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"
forms

readonly SPL=$BIN/spl
readonly LISTS=evaluation/accept/lib/archives
# The method that every command has to find, in a library of each archive.
readonly METHOD='com.example.Parser#fast'
# Longest time of a run in seconds; a claim is decided long before.
readonly LONGEST=120

build -p spl-agent -p spl-controller

# Archives of one program: its main class in the archive's own classes, the other class in a library.
archives() {
    javac --release 11 -d "$work/classes" tests-java/service/com/example/*.java
    mkdir -p "$work/app" "$work/library/com/example"
    mv "$work/classes/com/example/Parser.class" "$work/library/com/example"
    jar --create --no-compress --file "$work/parser.jar" -C "$work/library" .
    mkdir -p "$work/war/WEB-INF/classes" "$work/war/WEB-INF/lib"
    cp -r "$work/classes/com" "$work/war/WEB-INF/classes"
    cp "$work/parser.jar" "$work/war/WEB-INF/lib"
    # Its libraries are compressed, which no program of its own starts.
    jar --create --file "$work/app.war" -C "$work/war" .
    printf '%s\n' "assert \"it is quick\": median($METHOD) <= 1 s" >"$work/archive.tasks"
    # The times alone: a verdict would depend on the load of the machine.
    echo "$METHOD" >"$work/method.tasks"
    printf '%s\n' '[communication]' 'initial-sleep = 0' '[controller]' 'run-mode = measurement' 'max-method-measurements = 500' \
        >"$work/spl.ini"
}

# The launcher of Spring Boot around the program, as its Maven plugin makes it.
boot_jar() {
    local loader
    mkdir -p "$work/fetched"
    local profile=()
    ((brief)) || profile=(-P service)
    if ! command -v mvn >/dev/null || ! mvn -q -B -f "$LISTS/pom.xml" "${profile[@]}" dependency:copy-dependencies \
        -DoutputDirectory="$work/fetched" >"$work/mvn.txt" 2>&1; then
        return 1
    fi
    loader=$work/fetched/spring-boot-loader.jar
    mkdir -p "$work/boot/BOOT-INF/classes" "$work/boot/BOOT-INF/lib"
    (cd "$work/boot" && jar --extract --file "$loader" && rm -rf META-INF)
    cp -r "$work/classes/com" "$work/boot/BOOT-INF/classes"
    cp "$work/parser.jar" "$work/boot/BOOT-INF/lib"
    printf '%s\n' 'Main-Class: org.springframework.boot.loader.launch.JarLauncher' 'Start-Class: com.example.Service' \
        'Spring-Boot-Classes: BOOT-INF/classes/' 'Spring-Boot-Lib: BOOT-INF/lib/' >"$work/manifest.txt"
    jar --create --no-compress --file "$work/app.jar" --manifest "$work/manifest.txt" -C "$work/boot" .
}

# Commands that need no running program. $1: the archive in words; $2: its path.
found_in() {
    local what=$1 path=$2 listed
    listed=$("$SPL" methods --java --classpath "$path" "$METHOD" 2>"$work/said.txt" | grep -c "^$METHOD(" || true)
    if [[ $listed -eq 1 ]]; then ok "spl methods lists a method in a library of $what"; else
        fail "spl methods lists $listed methods in a library of $what: $(tail -n 1 "$work/said.txt")"
    fi
    if "$SPL" check --classpath "$path" "$work/archive.tasks" >"$work/said.txt" 2>&1; then
        ok "spl check knows it in $what"
    else fail "spl check in $what: $(tail -n 3 "$work/said.txt")"; fi
    if "$SPL" cfg --classpath "$path" "$METHOD" 2>&1 | grep -q 'block'; then ok "spl cfg shows its graph from $what"; else
        fail "spl cfg shows no graph from $what"
    fi
}

# The library in the archive has the probes, stored as before, and the archive runs with them. $1: in words; $2: its path; $3:
# how its libraries are stored.
instrumented() {
    local what=$1 path=$2 method=$3 said
    said=$("$SPL" instrument --methods "$METHOD" "$path" --output "$work/probed-${path##*/}" 2>&1 || true)
    if [[ $said != "1 methods instrumented, 0 refused: "* ]]; then
        fail "spl instrument in a library of $what: $said"
        return
    fi
    said=$(python3 - "$path" "$work/probed-${path##*/}" <<'END'
import io, sys, zipfile
old, new = map(zipfile.ZipFile, sys.argv[1:])
kinds = {zipfile.ZIP_STORED: "stored", zipfile.ZIP_DEFLATED: "deflated"}
differ = [name for name in old.namelist() if old.read(name) != new.read(name)]
print(old.namelist() == new.namelist(), *differ, *(kinds[new.getinfo(name).compress_type] for name in differ))
END
    )
    if [[ $said == "True "*"INF/lib/parser.jar $method" ]]; then ok "spl instrument changes this library of $what alone"; else
        fail "spl instrument changes of $what: $said"
    fi
}

# Runs a command that is measured by a method's name, unattended, and says what came of it. $1: the claim; $2: the task file; then the
# command.
measured() {
    local claim=$1 tasks=$2 status=0
    shift 2
    (cd "$work" && "$SPL" run --plain --replace --config spl.ini --tasks "$tasks" --out out --for "${LONGEST}s" \
        --stop-program -- "$@") >"$work/said.txt" 2>&1 </dev/null || status=$?
    local line
    line=$(grep -m 1 '^spl: .*: average .*; 500 samples' "$work/said.txt" || true)
    if [[ $status -eq 0 && -n $line ]]; then ok "$claim: ${line#spl: }"; else
        fail "$claim: status $status"
        tail -n 12 "$work/said.txt"
    fi
}

executables() {
    archives
    found_in "a WAR" "$work/app.war"
    instrumented "a WAR" "$work/app.war" deflated
    found_in "an unpacked WAR" "$work/war"
    if ! boot_jar; then
        skip "the launcher of Spring Boot is not to be had: $(grep -m 1 ERROR "$work/mvn.txt" 2>/dev/null || echo 'Maven is not installed')"
        return
    fi
    found_in "a JAR of Spring Boot" "$work/app.jar"
    instrumented "a JAR of Spring Boot" "$work/app.jar" stored
    found_in "an unpacked JAR of Spring Boot" "$work/boot"
    measured "spl run measures a method in a library of a JAR of Spring Boot by its name" method.tasks java -jar app.jar
    # The agent is dormant, and the launcher accepts the changed library.
    touch "$work/stop"
    local said
    said=$(cd "$work" && java "-agentpath:$BIN/libspl_agent.so=spl.client.socket=/nonexistent/spl" -jar probed-app.jar 2>&1 || true)
    rm "$work/stop"
    if [[ $said == "some digits were counted: "* ]]; then ok "an instrumented JAR of Spring Boot runs"; else
        fail "an instrumented JAR of Spring Boot: $said"
    fi
}

# A class whose only method has the number of the release in its name. It is private, because the releases of a class have one API.
releases() {
    local release home number classes=$work/releases
    mkdir -p "$classes"
    for release in 8 11 17 21; do
        printf 'public class Many { private static void of%d() {} }\n' "$release" >"$work/Many.java"
        javac --release 11 -d "$classes/$release" "$work/Many.java"
    done
    jar --create --file "$work/many.jar" -C "$classes/8" . --release 11 -C "$classes/11" . --release 17 -C "$classes/17" . \
        --release 21 -C "$classes/21" .
    while read -r number home <&4; do
        local wanted=$((number >= 21 ? 21 : number >= 17 ? 17 : 11)) listed
        listed=$("$SPL" methods --java --jdk "$home" --classpath "$work/many.jar" 'Many#of*' | tr '\n' ' ')
        if [[ $listed == "Many#of$wanted() "* && $listed != *"#of"*"#of"* ]]; then
            ok "of a JAR for several releases, JDK $number has the classes of $wanted"
        else fail "of a JAR for several releases, JDK $number has $listed"; fi
    done 4<"$work/jdks"
}

# The classes of a JDK that jlink has made, whole, with shared strings, and with zip.
images() {
    local level home
    home=$(readlink -f "$(command -v javac)")
    if [[ ! -d ${home%/bin/javac}/jmods ]]; then
        skip "this JDK has no jmods, so that jlink makes no image"
        return
    fi
    for level in 0 1 2; do
        jlink --add-modules java.base --compress="$level" --output "$work/image$level"
        "$SPL" methods --jdk "$work/image$level" --classpath "$work/classes" --limit 1000000 'java.**#*' >"$work/image$level.txt"
        if cmp -s "$work/image0.txt" "$work/image$level.txt"; then
            ok "an image of jlink --compress=$level has the same methods: $(wc -l <"$work/image$level.txt")"
        else fail "an image of jlink --compress=$level has other methods: $(wc -l <"$work/image$level.txt")"; fi
    done
    measured "a program on such an image is measured" method.tasks image1/bin/java -cp classes:parser.jar com.example.Service
}

# A service as it is deployed, by a method in one of its libraries.
service() {
    local port post
    if ((brief)); then
        skip "the service has 86 MB; the JAR of Spring Boot above is started in the same way"
        return
    fi
    local jar=$work/fetched/zipkin-server.jar
    [[ -f $jar ]] || jar=$(find "$work/fetched" -name 'zipkin-server*.jar' | sed -n 1p)
    if [[ ! -f $jar ]]; then
        skip "the service is not to be had"
        return
    fi
    echo 'zipkin2.internal.JsonCodec#readList' >"$work/service.tasks"
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    "$LISTS/post.py" "$port" $((LONGEST + 60)) &
    post=$!
    QUERY_PORT=$port measured "spl run measures a method of Zipkin by its name, from its JAR" service.tasks java -jar "$jar"
    wait "$post" || true
}

install_jdks
executables
releases
images
service
exit "$failed"
