# shellcheck shell=bash
# Names of methods without a class path, sets of methods and annotations, on real software: H2 from Maven Central, behind a
# script, and a class that only a class loader of the program knows. Sourced by operator.sh, after build-tools.sh.

# A program that uses H2, and one whose class no class path has; each behind a script.
named_programs() {
    local sources=$work/named/src
    mkdir -p "$sources" "$work/named/hidden"
    cat >"$sources/Work.java" <<'END'
import java.sql.*;

public final class Work {
    public static void main(String[] args) throws SQLException {
        long end = System.currentTimeMillis() + Long.parseLong(args[0]);
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:x"); Statement statement = connection.createStatement()) {
            statement.execute("create table t(i int primary key, v varchar(20))");
            for (int i = 0; System.currentTimeMillis() < end; i++) {
                statement.execute("merge into t values(" + i % 1000 + ", 'x" + i + "')");
            }
        }
    }
}
END
    cat >"$sources/Plugin.java" <<'END'
package com.shop;

@Plugin.Marked
public final class Plugin {
    @interface Marked {}

    static volatile long seen;

    static long encode(int value) {
        long sum = value;
        for (int i = 0; i < 2000; i++) {
            sum = sum * 31 + i;
        }
        return sum;
    }

    static long encode(String value) {
        return encode(value.length());
    }

    public static void run(long millis) {
        for (long end = System.currentTimeMillis() + millis; System.currentTimeMillis() < end; ) {
            seen = encode(5) + encode("four");
        }
    }
}
END
    cat >"$sources/Loader.java" <<'END'
import java.io.File;
import java.net.*;

public final class Loader {
    public static void main(String[] args) throws Exception {
        Thread.sleep(1000);
        URLClassLoader loader = new URLClassLoader(new URL[] {new File(args[0]).toURI().toURL()}, ClassLoader.getPlatformClassLoader());
        loader.loadClass("com.shop.Plugin").getMethod("run", long.class).invoke(null, Long.parseLong(args[1]));
    }
}
END
    javac --release 11 -d "$work/named/plain" "$sources/Work.java" "$sources/Loader.java"
    javac --release 11 -d "$work/named/hidden" "$sources/Plugin.java"
    printf '%s\n' '#!/bin/sh' "cd '$work/named'" "exec java -cp plain:h2.jar Work \"\$@\"" >"$work/named/h2.sh"
    printf '%s\n' '#!/bin/sh' "cd '$work/named'" "exec java -cp plain Loader hidden \"\$@\"" >"$work/named/plugin.sh"
    chmod +x "$work/named/h2.sh" "$work/named/plugin.sh"
}

# Tasks of one line. $1: name; $2: the line.
task() {
    printf '%s\n' "$2" >"$work/$1.tasks"
}

named_methods() {
    named_programs
    task loaded 'com.shop.Plugin#encode(String) < 1 s'
    measured loaded --tasks "$work/loaded.tasks" --until-decided --stop-program -- "$work/named/plugin.sh" 60000 || true
    has_said "a class that only a loader of the program has: it is measured once it is loaded" loaded 1 \
        "com.shop.Plugin#encode(String) is not in pid" "measuring begins when a JVM loads the class"
    task lost 'org.lost.Parser#next < 1 s'
    measured lost --tasks "$work/lost.tasks" -- "$work/named/plugin.sh" 500 || true
    has_said "a name that no JVM has: it is said what was looked through" lost 0 "no such class" "spl looked through" "loaded classes"
    task set 'com.shop.**#encode(**) < 1 s'
    measured set --tasks "$work/set.tasks" --until-decided --stop-program -- "$work/named/plugin.sh" 60000 || true
    has_said "a claim with a set: each of its methods has a claim of its own" set 2 "2 claims: " \
        "[1 of 2: com.shop.Plugin#encode(int)]" "[2 of 2: com.shop.Plugin#encode(java.lang.String)]"
    local found
    found=$("$SPL" methods --java --classpath "$work/named/hidden" '@Marked com.shop.**#*' | tr '\n' ' ' || true)
    if [[ $found == *"Plugin#encode(int)"*"Plugin#encode(java.lang.String)"*"Plugin#run(long)"* ]]; then
        ok "an annotation of retention CLASS at a class means all its methods: $found"
    else fail "an annotation of retention CLASS at a class: $found"; fi
    h2
}

h2() {
    local jar
    # Maven itself fetches it where it is not there yet.
    if command -v mvn >/dev/null; then
        mvn -B -q dependency:copy -Dartifact=com.h2database:h2:2.2.224 -DoutputDirectory="$work/named" >"$work/h2.txt" 2>&1 || true
    fi
    jar=$(find "$work/named" -name 'h2-*.jar' | head -n 1)
    if [[ -z $jar ]]; then
        skip "H2 is not to be had: $(grep -m 1 ERROR "$work/h2.txt" 2>/dev/null || echo mvn is not installed)"
        return
    fi
    mv "$jar" "$work/named/h2.jar"
    task h2 'median(org.h2.command.Parser#parse(String, ArrayList)) < 1 s'
    measured h2 --tasks "$work/h2.tasks" -- "$work/named/h2.sh" 5000 || true
    has_said "H2 behind a script: its methods are named as in Java without a class path" h2 1 "1 claim: " ": Work 5000"
}
