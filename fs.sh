SPL=$1; shift
cd /tmp/w/fs
rm -f in; mkfifo in
${JAVA:-java} "$@" -cp classes CompareLoop 0 100000 <in >out.txt 2>err.txt & p=$!
exec 7>in
until grep -q ready out.txt; do sleep 0.05; done
sleep ${SETTLE:-0}
rm -rf run
b=$(date +%s%3N)
RUST_LOG=debug strace -f -ttt -e trace=connect,openat,kill -o st.txt $SPL attach $p --config spl.ini --tasks t.tasks --out run --replace --until-decided --plain --yes >log.txt 2>&1 </dev/null & a=$!
[ -n "$NOSTRACE" ] && { kill $a; wait $a 2>/dev/null; rm -rf run; b=$(date +%s%3N); $SPL attach $p --config spl.ini --tasks t.tasks --out run --replace --until-decided --plain --yes -v >log.txt 2>&1 </dev/null & a=$!; }
until find run/measurements -name '*.msr' -size +0 2>/dev/null | grep -q . || ! kill -0 $a 2>/dev/null; do sleep 0.01; done
echo $(( $(date +%s%3N) - b )) ms
wait $a
exec 7>&-
wait $p
