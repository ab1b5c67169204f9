# shellcheck shell=bash
# What spl makes of a recorded run, for cuts.sh and what recorded its runs.

# Judges a run again and renders it, into its folder `rendered`. $1: spl; $2: the run's folder, with spl.ini,
# spl.tasks and out.
rendered() {
    local spl=$1 status=0
    mkdir -p "$2/rendered"
    (
        cd "$2"
        "$spl" report out --out rendered/report.html 2>rendered/report.txt
        "$spl" eval --config spl.ini --tasks spl.tasks --measurements out/measurements --out rendered/result.eval --self-check \
            --json >rendered/judged.json 2>rendered/said.txt || status=$?
        printf '%d\n' "$status" >rendered/status
    )
}
