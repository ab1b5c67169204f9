#!/usr/bin/env bash
# Runs acceptance scripts, each from the project's root folder and to its end, and says which of them passed and what each took.
# Usage: accept.sh [--bounded] [NAME...]. Without names, all of evaluation/accept; with --bounded, what is shown in minutes.
# No script is begun after ACCEPT_SECONDS, if that is set: the other scripts are named, and neither pass nor fail.
set -euo pipefail
cd "$(dirname "$0")/.."

forms=()
if [[ ${1:-} == --bounded ]]; then
    forms=(--bounded)
    shift
fi
shopt -s nullglob
scripts=(evaluation/accept/*.sh)
if [[ $# -gt 0 ]]; then
    scripts=("${@/#/evaluation/accept/}")
    scripts=("${scripts[@]/%/.sh}")
fi
if [[ ${#scripts[@]} -eq 0 ]]; then
    echo "accept: there are no scripts in evaluation/accept" >&2
    exit 1
fi

said=$(mktemp)
trap 'rm -f "$said"' EXIT
count() { grep -cE "^$1 " "$said" || true; }

failed=0
summary=""
begun=0
for script in "${scripts[@]}"; do
    if [[ -n ${ACCEPT_SECONDS:-} ]] && ((SECONDS >= ACCEPT_SECONDS)); then
        printf 'note not begun after %d s: %s\n' "$ACCEPT_SECONDS" "${scripts[*]:begun}"
        break
    fi
    begun=$((begun + 1))
    printf '== %s\n' "$script${forms[*]:+ ${forms[*]}}"
    begin=$SECONDS
    result=passed
    # No input: a script that asks something must fail, not wait.
    bash "$script" "${forms[@]}" </dev/null 2>&1 | tee "$said" || result=FAILED
    [[ $result == passed ]] || failed=$((failed + 1))
    name=${script##*/}
    summary+=$(printf '%-16s %-7s %8d %4d %6d %10d' "${name%.sh}" "$result" $((SECONDS - begin)) \
        "$(count ok)" "$(count FAIL)" "$(count 'note not tried:')")$'\n'
done
printf '\n%-16s %-7s %8s %4s %6s %10s\n%s' script result seconds ok failed "not tried" "$summary"
printf '%d of %d acceptance scripts passed in %d s\n' $((begun - failed)) "${#scripts[@]}" "$SECONDS"
[[ $failed -eq 0 ]]
