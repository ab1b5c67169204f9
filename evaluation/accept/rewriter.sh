#!/usr/bin/env bash
# Promises of the rewriter, on the classes of four JDKs and of large applications. Prints a line "ok|FAIL
# claim figure" for each promise and fails if one is broken. Installs the applications and the JDKs; takes
# some twenty minutes. With --bounded the application is ROME, which the examples need anyway, and the JDK the
# installed one.
# shellcheck source=evaluation/accept/lib/claims.sh
. "$(dirname "$0")/lib/claims.sh"
forms

readonly JARS=/usr/share/java
# Methods that the agent can measure at once.
readonly GATES=4094
readonly EXPECTED_JDKS="11 17 21 25"
readonly LARGEST_RATIO=3.0
readonly LARGEST_MEDIAN_US=100
readonly ALL_APPLICATIONS="h2=$JARS/h2.jar
    xalan=$JARS/xalan2.jar:$JARS/serializer.jar:$JARS/xercesImpl.jar
    groovy=$JARS/groovy-all.jar
    jruby=$JARS/jruby-base.jar
    fop=$JARS/fop.jar
    tomcat=$JARS/tomcat9-catalina.jar:$JARS/tomcat9-coyote.jar:$JARS/tomcat9-jasper.jar:$JARS/tomcat9-util.jar"
if ((brief)); then
    readonly APPLICATIONS="rome=$JARS/rome.jar:$JARS/jdom2.jar"
else
    readonly APPLICATIONS=$ALL_APPLICATIONS
fi

# Runs the tests of the crate that $@ name, into $work/test.txt.
run_tests() {
    SPL_APPLICATIONS=$APPLICATIONS cargo test -q --workspace --test jdk -- --nocapture "$@" \
        >"$work/test.txt" 2>&1 </dev/null
}

# Every method of four JDKs.
classes() {
    local claim="every method of every class of a JDK is rewritten, 0.1 % refused at most, and links with -Xverify:all"
    local status=0 number counted
    run_tests every_method || status=$?
    for number in $EXPECTED_JDKS; do
        counted=$(grep -E "^JDK $number\." "$work/test.txt" | head -n 1 || true)
        if [[ $status -eq 0 && -n $counted ]]; then
            ok "$claim: $counted"
        else
            fail "$claim: JDK $number: ${counted:-not there}"
        fi
    done
    [[ $status -eq 0 ]] || tail -n 30 "$work/test.txt"
}

# Every method of the applications.
applications() {
    local status=0 counted claim="every method of every class of an application is rewritten, and links with -Xverify:all as before"
    run_tests whole_applications || status=$?
    while read -r counted; do
        ok "$claim: $counted"
    done < <(grep -E ' classes linked as before' "$work/test.txt" || true)
    [[ $status -eq 0 ]] || {
        fail "$claim"
        tail -n 30 "$work/test.txt"
    }
}

# The folder with the rewritten JARs and the recorder that counts every call: the tests have left it there.
rewritten() { printf '%s' "$TARGET/tmp/applications"; }

# A workload's output, with and without probes in everything of its own. $1: application; $2: words for the JVM; then the
# words after the class path. JARs that are not the application's stay as they are.
workload() {
    local name=$1 jvm=$2 libraries=$3 folder jar original="" probed=""
    shift 3
    folder=$(rewritten)
    for jar in "$folder/$name"/*.jar; do
        original+=$JARS/${jar##*/}:
        probed+=$jar:
    done
    local claim="output of $name with all its methods recording is as without${jvm:+ ($jvm)}" status=0
    # shellcheck disable=SC2086 # Words for the JVM.
    java $jvm -cp "$original$libraries" "$@" >"$work/original.txt" 2>"$work/original.err" </dev/null || status=$?
    # shellcheck disable=SC2086 # Words for the JVM.
    java $jvm -Xverify:all -Xshare:off --patch-module "java.base=$folder/probe" -cp "$probed$libraries" "$@" \
        >"$work/probed.txt" 2>"$work/probed.err" </dev/null || status=$?
    if [[ $status -eq 0 && -s $work/original.txt ]] && cmp -s "$work/original.txt" "$work/probed.txt"; then
        ok "$claim: $(wc -l <"$work/original.txt") lines, $(wc -c <"$work/original.txt") bytes"
    else
        fail "$claim: status $status"
        diff "$work/original.txt" "$work/probed.txt" | head -n 10 || true
        tail -n 5 "$work/original.err" "$work/probed.err"
    fi
}

inputs() {
    cat >"$work/query.sql" <<'SQL'
create table t(id int primary key, name varchar(20), amount decimal(10, 2));
insert into t select x, 'n' || mod(x * 7919, 1000), mod(x * 31, 997) / 7.0 from system_range(1, 5000);
create index on t(name);
script nodata nosettings;
select name, count(*), sum(amount), max(id) from t group by name having count(*) > 5 order by name limit 50;
select a.id, b.name from t a join t b on a.id = b.id + 1 where a.amount > 140 order by a.id limit 40;
update t set amount = amount * 1.1 where mod(id, 3) = 0;
select sum(amount), avg(amount), min(name) from t;
SQL
    local i
    {
        echo '<list>'
        for ((i = 0; i < 400; i++)); do
            printf '<item key="%d"><name>n%d</name><size>%d</size></item>\n' "$i" $((i * 7919 % 1000)) $((i * 31 % 97))
        done
        echo '</list>'
    } >"$work/list.xml"
    cat >"$work/list.xsl" <<'XSL'
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" indent="yes"/>
<xsl:key name="by-size" match="item" use="size"/>
<xsl:template match="/"><out><xsl:for-each select="//item"><xsl:sort select="name"/><xsl:sort select="size" data-type="number"/>
<row n="{position()}" twins="{count(key('by-size', size))}"><xsl:value-of select="concat(name, ':', format-number(size div 7, '0.000'))"/>
</row></xsl:for-each></out></xsl:template></xsl:stylesheet>
XSL
    cat >"$work/page.fo" <<'FO'
<fo:root xmlns:fo="http://www.w3.org/1999/XSL/Format"><fo:layout-master-set><fo:simple-page-master master-name="p"
page-height="20cm" page-width="15cm" margin="1cm"><fo:region-body/></fo:simple-page-master></fo:layout-master-set>
<fo:page-sequence master-reference="p"><fo:flow flow-name="xsl-region-body">
FO
    for ((i = 0; i < 40; i++)); do
        printf '<fo:block space-after="4pt">Paragraph %d of a text that is long enough for the line to be broken at least once, %d.</fo:block>\n' \
            "$i" $((i * i)) >>"$work/page.fo"
    done
    echo '</fo:flow></fo:page-sequence></fo:root>' >>"$work/page.fo"
    cat >"$work/script.groovy" <<'GROOVY'
def words = (1..2000).collect { "w${(it * 7919) % 613}" }
def counts = words.countBy { it }.sort { a, b -> b.value <=> a.value ?: a.key <=> b.key }
counts.take(60).each { k, v -> println "$k $v" }
println((1..200).inject(1G) { a, b -> a * b })
try { null.length() } catch (NullPointerException e) { println e.class.name }
GROOVY
}

libraries() {
    local name
    for name in "$@"; do printf '%s:' "$JARS/$name.jar"; done
}

# ROME's program and its libraries other than ROME and JDOM.
rome_libraries() { printf '%s:%s' "$PWD/examples/rome/build" "$(libraries rome-utils slf4j-api slf4j-nop)"; }

workloads() {
    if ((brief)); then
        workload rome "" "$(rome_libraries)" rome.Main --quiet-times --cycles 60 --network-ms 0
        return
    fi
    local none=$JARS/none.jar
    workload h2 "" "$none" org.h2.tools.RunScript -url jdbc:h2:mem: -script "$work/query.sql" -showResults
    workload h2 -Xint "$none" org.h2.tools.RunScript -url jdbc:h2:mem: -script "$work/query.sql" -showResults
    workload xalan "" "$(libraries xml-apis)" org.apache.xalan.xslt.Process -IN "$work/list.xml" -XSL "$work/list.xsl"
    workload xalan -Xint "$(libraries xml-apis)" org.apache.xalan.xslt.Process -IN "$work/list.xml" -XSL "$work/list.xsl"
    workload xalan "-Xcomp -XX:CompileOnly=org/apache/xalan" "$(libraries xml-apis)" \
        org.apache.xalan.xslt.Process -IN "$work/list.xml" -XSL "$work/list.xsl"
    workload groovy "" "$none" groovy.ui.GroovyMain "$work/script.groovy"
    workload fop "-Djava.awt.headless=true" \
        "$(libraries xalan2 xml-apis serializer batik-all commons-io commons-logging xercesImpl xmlgraphics-commons xml-apis-ext fontbox2)" \
        org.apache.fop.cli.Main -q -fo "$work/page.fo" -txt -
}

# The classes that a run loads from its own JARs: $1 is the log that -Xlog:class+load wrote.
loaded_classes() { sed -nE 's/^([^ ]+) source: (file:|jar:).*$/\1/p' "$1" | sort -u; }

# All methods with code of the classes that $2 names, each as a line of a task file. $1: class path.
methods_of() {
    local class_path=$1 classes=$2 package
    sed -E 's/\.[^.]*$//' "$classes" | sort -u | while read -r package; do
        # Folders on the class path have classes, too, which are not the application's.
        "$BIN/spl" methods --classpath "$class_path" --limit 1000000 "$package.*" 2>/dev/null || true
    done | grep -v '^#' | awk -v FS='.' '
        FILENAME != "-" { gsub("\\.", "/"); is_loaded[$0] = 1; next }
        $1 in is_loaded' "$classes" -
}

# A workload again, measured by the product in a running JVM: every method of every class that it loads from its own JARs has
# a probe and its gate is open. The agent has gates for some four thousand methods, so larger programs run several times.
# $1: application; $2: libraries; then the words after the class path.
measured() {
    local name=$1 libraries=$2 number home java own jar recorded part status
    shift 2
    own=
    for jar in "$(rewritten)/$name"/*.jar; do own+=$JARS/${jar##*/}:; done
    java -Xlog:class+load:file="$work/loaded.log":none -cp "$work:$own$libraries" "$@" >/dev/null 2>&1 </dev/null
    loaded_classes "$work/loaded.log" >"$work/loaded.txt"
    methods_of "${own%:}" "$work/loaded.txt" >"$work/all.tasks"
    rm -f "$work"/part.*
    split -l "$GATES" "$work/all.tasks" "$work/part."
    while read -r number home; do
        java=$home/bin/java recorded=0 status=0
        "$java" -cp "$work:$own$libraries" "$@" >"$work/original.txt" 2>"$work/original.err" </dev/null
        for part in "$work"/part.*; do
            rm -rf "$work/out"
            "$BIN/spl" run --replace -q --config "$work/everything.ini" --tasks "$part" --out "$work/out" -- \
                "$java" -cp "$work:$own$libraries" "$@" >"$work/probed.txt" 2>"$work/probed.err" </dev/null || status=$?
            cmp -s "$work/original.txt" "$work/probed.txt" || status=differs
            [[ $status == 0 ]] || break
            recorded=$((recorded + $(find "$work/out/measurements" -name '*.msr' -size +0 | wc -l)))
        done
        local claim="JDK $number: output of $name is as without the agent while it records every method of every class loaded"
        if [[ $status == 0 && $recorded -gt 0 && -s $work/original.txt ]]; then
            ok "$claim: $(wc -l <"$work/all.tasks") methods instrumented, $recorded called and recorded"
        else
            fail "$claim: status $status, $recorded recorded"
            diff "$work/original.txt" "$work/probed.txt" | head -n 10 || true
            tail -n 5 "$work/probed.err"
        fi
    done <"$work/jdks"
}

live() {
    build -p spl-controller -p spl-agent
    # Every gate opens at once and stays open.
    cat >"$work/everything.ini" <<'INI'
[communication]
initial-sleep = 0
[scheduler]
profile = thesis
argument-size = sizeof
initial-optimal-measurements = 1000000
min-measuring-diff = 1
[controller]
run-mode = measurement
max-method-measurements = 1000000000
human-readable-measurements = 0
INI
    # Long enough for every class to be rewritten while the program runs.
    cat >"$work/Again.java" <<'JAVA'
public class Again {
    public static void main(String[] words) throws Throwable {
        var main = Class.forName(words[1]).getMethod("main", String[].class);
        for (int left = Integer.parseInt(words[0]); left > 0; left--) {
            main.invoke(null, (Object) java.util.Arrays.copyOfRange(words, 2, words.length));
        }
    }
}
JAVA
    javac --release 11 -d "$work" "$work/Again.java"
    if ((brief)); then
        measured rome "$(rome_libraries)" rome.Main --quiet-times --cycles 300 --network-ms 10
        return
    fi
    measured h2 "" Again 15 org.h2.tools.RunScript -url jdbc:h2:mem: -script "$work/query.sql" -showResults
    measured xalan "$(libraries xml-apis)" Again 30 org.apache.xalan.xslt.Process -IN "$work/list.xml" -XSL "$work/list.xsl"
    measured groovy "" Again 15 groovy.ui.GroovyMain "$work/script.groovy"
}

# CPU time of one thread, from the benchmark's own lines.
speed() {
    cargo bench -q -p spl-bytecode --bench rewrite >"$work/bench.txt" 2>"$work/bench.err" || {
        fail "the benchmark runs"
        tail -n 20 "$work/bench.err"
        return
    }
    local ratio median warm
    ratio=$(sed -n 's/^ratio \([0-9.]*\).*/\1/p' "$work/bench.txt")
    median=$(sed -n 's/^median class \([0-9.]*\) us.*/\1/p' "$work/bench.txt")
    warm=$(sed -n 's/^ *time: *//p' "$work/bench.txt")
    sed -i '/^median class/q' "$work/bench.txt"
    local claim="rewriting a JDK costs at most $LARGEST_RATIO times reading and writing it with ristretto_classfile"
    if awk -v got="$ratio" -v limit="$LARGEST_RATIO" 'BEGIN { exit !(got > 0 && got <= limit) }'; then
        ok "$claim: $(paste -sd ';' "$work/bench.txt")"
    else
        fail "$claim: $(paste -sd ';' "$work/bench.txt")"
    fi
    claim="rewriting the median class takes less than $LARGEST_MEDIAN_US microseconds"
    if awk -v got="$median" -v limit="$LARGEST_MEDIAN_US" 'BEGIN { exit !(got > 0 && got < limit) }'; then
        ok "$claim: $median, with warm caches $warm"
    else
        fail "$claim: $median, with warm caches $warm"
    fi
}

install_jdks
if ((brief)); then
    make -s --no-print-directory -C examples/rome classes
    tested "every method of every class of a JDK is rewritten" cargo test -q --workspace --test jdk -- every_method
else
    scripts/setup.sh >"$work/setup.txt"
    scripts/setup.sh --apps >>"$work/setup.txt"
    classes
    inputs
fi
applications
workloads
live
((brief)) || speed

exit "$failed"
