//! The ends of the help texts: examples and exit statuses.

pub(super) const STATUS: &str = "Exit status: 0 every comparison holds, 1 some fail (refuted or not proved), \
3 some were not evaluated, 2 something went wrong. The program's own status is reported, not mixed in.";

pub(super) const RUN_HELP: &str = "\
Examples:
  spl run --tasks my.tasks -- java -jar service.jar
  spl run --config splserver.ini --out out -- java -cp app.jar com.example.Main --port 8080
  spl run --drill failed --for 5m --tasks my.tasks -- java -jar service.jar

A task file has one comparison a line, as in
  java/util/ArrayList.get(I)Ljava/lang/Object; <= (1, 2) java/util/LinkedList.get(I)Ljava/lang/Object;

The program's output passes through unchanged; what spl has to say goes to standard error, each line after \"spl:\". \
On a terminal its lowest lines show the measurement. Ctrl-C ends it, and the program goes on; Ctrl-C again ends that too. \
The environment variable RUST_LOG=info shows every decision. A measurement that was cut short, its controller killed, \
goes on where it was when it is started again with the same tasks and the same output folder. \
The signal HUP makes spl read tasks and settings again and go on with what stays. \
When nothing can be measured here (the JVM does not load the agent, no folder can be written to), the program is still \
started, and the status is 2; with --require it is not started. A mistake in the command line, the tasks or the settings \
starts nothing.

Exit status: 0 every comparison holds, 1 some fail (refuted or not proved), 3 some were not evaluated, \
2 something went wrong. The program's own status is reported, not mixed in.";

pub(super) const TOP_HELP: &str = "\
Examples:
  spl top -- java -jar service.jar
  spl top --for 2m --methods 'com.shop.**#*' --stop-program -- java -cp app.jar com.shop.Main

The table on standard error has a line for each method that was called, the one with the greatest share of time first. \
calls/s, mean and median are of the calls that were taken while the method was looked at; \"looked at\" says how long that \
was. Times are inclusive: a caller has those of what it calls, and a recursive call counts again. Each name can stand in a \
task file. Methods are looked at in turn; a method whose class was not loaded, or whose turn did not come, is counted below.

Exit status: 0 there was a measurement, 2 something went wrong.";

pub(super) const DRILL_HELP: &str = "\
Examples:
  spl drill --methods 'com.shop.Parser#*' -- java -jar service.jar
  spl drill --all --not 'com.shop.generated.**' --for 2m -- java -cp app.jar com.shop.Main
  spl drill --attach 4711 --methods 'com.shop.Parser' --for 30s
  spl drill --what cover --all -- java -jar service.jar
  spl drill --what time --methods 'com.shop.**' --attach 4711 --for 20s
  spl drill --what paths --methods 'com.shop.Parser' -- java -jar service.jar
  spl drill --spec events.sj --show; spl drill --spec events.sj --all -- java -jar service.jar

Each method counts how often its blocks and edges run, from the first instruction of its class on. The table has a line for \
each method that was called: calls, instructions of bytecode in the method itself, blocks that ran. An interval means that \
exceptions left blocks in their middle. A ~ marks counts that may not be exact. The program is slower meanwhile: 1.5 times \
is usual where every method counts. --what cover shows which blocks and branches of each class run at all; code that \
has run costs nothing some time later. --what time adds up how long calls take, with callees and without. --what \
receivers counts the classes of receivers, --what calls also which method each call entered. --what paths counts which blocks ran one after the other. Counts survive System.exit, halt and a JVM that is killed. drill.html in the folder of \
--out shows the graphs of the methods that ran most.

Exit status: 0 something was counted, 2 nothing was or something went wrong.";

pub(super) const EXPORT_HELP: &str = "\
Examples:
  spl export out --as jacoco -o jacoco.xml
  spl export out/drill-2 --as csv | duckdb -c \"select * from read_csv('/dev/stdin') order by share desc limit 20\"
  spl export out --as callgrind -o callgrind.out; callgrind_annotate callgrind.out

callgrind, speedscope, graphml, dot and calls are the call graph, with bytecodes for costs. The calls of each place are \
counted exactly. Calls by an interface are shared out over the counted implementations, and the cost of a callee is the average over all its \
callers. They need counts, so no drill with --what cover.

jacoco is for tools that read the XML of JaCoCo (report.dtd 1.1). It has every instruction of the methods that counted, also \
code that JaCoCo leaves out, and an instruction before an exception counts as run. All forms but csv need the drill's \
class files, so none with --no-classes. Files that are damaged or of several drills are refused, with the place.

Exit status: 0 it is written, 2 it could not be.";

pub(super) const TRACE_HELP: &str = "\
Examples:
  spl drill --what trace --methods 'com.shop.**' --out out -- java -jar shop.jar
  spl drill --what trace --all --within 'com.shop.Api#handle' --one-in 100 --attach 4711 --for 30s
  spl drill --what trace --all --order total -- java -jar shop.jar; spl trace replay out --merged; spl trace switches out
  spl drill --what trace --all --receivers -- java -jar shop.jar; spl trace sites out
  spl drill --what trace --timed --all --within 'com.shop.Api#handle' --one-in 100 --attach 4711 --for 30s; spl trace calls out
  spl trace timeline out --call 301
  spl trace timeline out --output slow.html
  spl trace timeline out --as chrome --output slow.json
  spl trace tree out
  spl trace replay out --thread 1 | less
  spl trace paths out --methods 'com.shop.Parser#next*' --loops exact
  spl trace replay out --as jbinstrace --output events; spl trace events events/1.csv
  spl drill --what trace,blocks --all --out out -- java -jar shop.jar; spl trace check out

Lines of replay begin with the depth: > a call begins, = blocks that it ran, < how it ended. Behind the blocks, @12 is the call at offset 12 \
that follows, . a return, ! an exception in the last block. Blocks are those of `spl cfg`. With --within a line call, with its number and the clock, begins \
each call that is traced.

Times of calls need a drill with --timed. A call's own time is without the calls that it made; a method without calls and branches has no end of its own, and its time is its caller's. Where a clock is missing, ? or bounds are shown.

Where events are missing the stack below is still right: calls that may have ended in a gap are not shown as running. A trace needs \
the class files of its drill, so none with --no-classes.

Exit status: 0 it is answered, 2 it could not be, or check has found a difference or a fault of a file.";

pub(super) const ANALYSE_HELP: &str = "\
Examples:
  spl analyse out
  spl analyse out/drill-2 --as csv --disable '*' --enable 'size.*' --enable M42
  spl analyse out --space parser='com.shop.Parser#*' --set 'size.hot*:p=0.8' --as xml -o metrics.xml
  spl analyse --explain 'polymorphism.*'
  spl analyse out --tasks my.tasks --junit claims.xml
  spl analyse --needs size polymorphism > least.sj; spl drill --spec least.sj --all -- java -jar service.jar

Metrics are those of Dufour and others, Dynamic Metrics for Java (2003), of the spaces whole, app (the program's own classes), lib, and \
each --space. A drill with --what receivers, or calls, has what all of them need, one of blocks no calls. Each value says whether it is exact, lies \
between bounds, or is partial (~), with the reasons. A pattern names a pack, a metric or its number, with * for any characters. \
--enable beats --disable. With --tasks the claims of a task file about metrics are judged.

Exit status: 0 metrics were computed and all claims hold, 1 a claim fails, 2 no metric could be computed or something went wrong, 3 no claim fails and one is \
undecided.";

pub(super) const METRICS_HELP: &str = "\
Examples:
  spl metrics -- java -jar app.jar
  spl metrics --jdk --disable '*' --enable polymorphism -- java -cp app.jar com.shop.Main
  spl metrics --methods 'com.shop.**' --for 60s -- java -jar service.jar
  spl metrics --tasks my.tasks --junit claims.xml -- java -jar app.jar
  spl metrics --every 1s -- java -jar app.jar
  spl metrics --sampled --for 10m --attach 4711

This is `spl drill --what receivers --all` and then `spl analyse`. The program is several times slower meanwhile. metrics.json, \
metrics.csv and metrics.xml are written next to the counts. With --jdk the JDK's classes count too, and calls of them are known. With \
--tasks the claims of a task file about metrics are judged, such as metric(polymorphism.targetPolyDensity, com.shop.Parser) <= 0.05. With \
--every the metrics of intervals of time, or of calls of a method, are written to series.csv, and changing ones are drawn. With --sampled no class is changed: the JVM's events are heard, and rates of waits, threads, collections and allocations are written.

Exit status: 0 metrics were computed and all claims hold, 1 a claim fails, 2 no metric could be computed or something went wrong, 3 no claim fails and one is \
undecided.";

pub(super) const STORE_HELP: &str = "\
Examples:
  spl store add out --tag nightly
  spl store list --tag nightly
  spl store tag 3 4 --add release --remove nightly
  spl store remove 3

The store is one file of SQLite: --store, the environment variable SPL_STORE, or spl-store.db in the current folder. `spl store add` takes \
drills that have metrics.json, as `spl metrics` writes it, and measurements (result.eval, assertions.jsonl). All folders of a command are \
inserted, or none. A run keeps its number and its tags when it is inserted again after `spl analyse` or while it goes on.

Exit status: 0 it is done, 2 something went wrong, and the store is as it was.";

pub(super) const QUERY_HELP: &str = "\
Examples:
  spl query @runs
  spl query @metric base.instructions.value app
  spl query --as csv \"SELECT run, value FROM value WHERE metric = 'size.hot.value' AND space = 'app'\"
  spl query --from slowest.sql nightly

Tables and views: run, tag, value (a line for each metric of each space), verdict, method, latest (docs/files.md has their columns). \
A query only reads: the file stays as it is, byte for byte. It ends with an error after 5 s, beyond 10,000 rows, beyond 64 MiB, or with a text of more than 1 MB. A word \
@NAME is NAME.sql in the folder of the store, or else a saved query of spl.

Exit status: 0 there is an answer, 2 there is none.";

pub(super) const PAGES_HELP: &str = "\
Examples:
  spl pages --export site
  spl pages --export site --replace --tag nightly --compare 3,7
  spl pages --serve --store nightly.db

index.html leads to a page for each program (its runs by metrics), each run (values, methods, claims), and the difference to the \
run before it for each of the 25 newest. A difference is marked where it is outside the spread of repeats: runs of the same command \
with the same tags. Exported pages need no network and no script.

With --serve each page is as the store is now, and there is one more with an editor of queries, as `spl query` answers them. The printed \
address lets one browser in, once. Nothing can be changed. Ctrl-C ends it.

Exit status: 0 they are written, or --serve was ended; 2 something went wrong.";

pub(super) const SERVE_HELP: &str = "\
Examples:
  spl serve --tasks my.tasks                    in one terminal, and in another
  spl client -- java -jar service.jar

  spl serve --once --port 40000 --token-file t  and  spl client --port 40000 --token-file t -- java -jar service.jar

  spl serve --manual --tasks my.tasks           each Enter puts the probes in, or takes them out

The controller listens on this machine only, and measures only programs that know its token. It measures one at a \
time, or as many as `programs` in [communication] says; further ones wait. Interrupt the controller to end it; programs go on. \
With --drill failed it looks why claims fail after each program, in the one of several in which a claim fails most clearly.

Exit status: as that of `spl run`, of the program that did worst.";

pub(super) const CLIENT_HELP: &str = "\
Example:
  spl client -- java -cp app.jar com.example.Main

Becomes the program, so that its exit status and signals are the program's own. It runs unmeasured while there is no \
controller: the agent keeps trying, and costs nothing meanwhile. Where the JVM does not load the agent, it runs without it; \
with --require it is not started then, and the status is 2.";

pub(super) const INSTRUMENT_HELP: &str = "\
Example:
  spl instrument --methods 'org.jdom2.Verifier#check*' jdom2.jar -o probed.jar
  javap -c -p -cp probed.jar org.jdom2.Verifier

Lists the methods that are refused, with the reason. The classes run only in a JVM that has the agent, because the probes \
call its class java.lang.SplProbe. There they do what they did before, and are not measured: measure the classes as they \
were. A signed JAR is refused unless --unsign is there, because the JVM refuses changed classes under a signature.

Exit status: 0 some method was instrumented, 2 none was or something went wrong.";

pub(super) const API_JAR_HELP: &str = "\
Example:
  spl api-jar -o spl-api.jar
  javac -cp spl-api.jar:app.jar -d classes Entries.java

The JAR is for the compiler, and has the sources with their documentation. A measured program has the interfaces from the \
agent; one that implements spl.size.Computable needs the JAR on its class path when it runs without the agent.

Exit status: 0 it is written, 2 it could not be.";

pub(super) const COMPLETIONS_HELP: &str = "\
Examples:
  spl completions bash > ~/.local/share/bash-completion/completions/spl
  spl completions zsh > /usr/local/share/zsh/site-functions/_spl
  spl completions fish > ~/.config/fish/completions/spl.fish";

pub(super) const MAN_HELP: &str = "\
Example:
  spl man ~/.local/share/man/man1     and then  man spl-run";

pub(super) const EVAL_HELP: &str = "\
Example:
  spl eval --tasks my.tasks --measurements out/measurements --out again/result.eval --self-check

Judges by the rules of a run, with its windows, so that the same configuration gives the same verdicts; another one, or \
--method, shows what would have come of it. Samples that the run discarded do not count. Files of any length are read, a part \
at a time; what is kept in memory are the times that count.

Exit status: 0 every comparison holds, 1 some fail (refuted or not proved), 3 some were not evaluated, 2 something went \
wrong.";

pub(super) const REPORT_HELP: &str = "\
Example:
  spl report out --out /tmp/report.html

`spl run` and `spl serve` write the report when a measurement ends; this makes it again, also of a run that was killed. It is \
one file that needs no network, can be sent by mail and opened by a double click.

Exit status: 0 it is written, 2 it could not be.";

pub(super) const CHECK_HELP: &str = "\
Examples:
  spl check my.tasks
  spl check --classpath 'app.jar:lib/*' --jdk /usr/lib/jvm/java-21 my.tasks

No Java is run: class files are read from folders, JARs, JDK modules and the JDK's runtime image. Without --classpath only \
the language and the methods of JDK classes are checked.

Exit status: 0 everything is fine, 1 a method is missing or cannot be measured, 2 the file's language is wrong or \
something could not be read.";

pub(super) const CFG_HELP: &str = "\
Examples:
  spl cfg java.util.ArrayList#indexOf
  spl cfg --classpath app.jar --as dot 'com.example.Parser#next' | dot -Tsvg -o next.svg
  spl cfg --classpath app.jar --as svg 'com.example.Parser#next' > next.svg
  spl cfg --classpath app.jar --all --as csv > blocks.csv

No Java is run. A block begins at the method's start, at targets of jumps and handlers, and behind jumps, returns and throws; calls \
end none. The manual says what stands in each form.

Exit status: 0 at least one method has a graph, 1 none has, 2 something went wrong.";

pub(super) const METHODS_HELP: &str = "\
Examples:
  spl methods java.util.ArrayList
  spl methods --classpath jdom2.jar 'org.jdom2.Verifier#check*'
  spl methods --java 'java.util.*List#get(int)'

Each line can stand in a task file. Methods that cannot be measured are listed as comments.

Exit status: 0 some method is meant, 1 none is, 2 something went wrong.";

pub(super) const FMT_HELP: &str = "\
Examples:
  spl fmt my.tasks              prints it formatted
  spl fmt --write *.tasks       formats the files
  spl fmt --check *.tasks       for a build: fails unless they are formatted

Exit status: 0 done, 1 with --check: some file is not formatted, 2 a file cannot be read or has an error; it stays as it is.";
