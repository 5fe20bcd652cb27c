#!/usr/bin/env bash
# The program where it was started in a bare place: without standard streams, without room for threads.
#   environment_test.sh PROGRAM DEMO_MODEL
set -uo pipefail
program=$1
export FATHOM_DEMO_MODEL=$2
out=$(mktemp)
trap 'rm -f "$out" "$out.scores"' EXIT

# expect NAME CODE TEXT: what the command before ended with, and a text that $out has.
expect() {
  local found=$?
  [ "$found" = "$2" ] || { echo "$1: exit code $found, expected $2: $(cat "$out")" && exit 1; }
  grep -q "$3" "$out" || { echo "$1: no '$3' in: $(cat "$out")" && exit 1; }
}

"$program" run --max-tokens 4 >"$out" 2>&1 <&-
expect "a chat without standard input" 0 ""
"$program" tokenize "$2" --text hi 2>"$out" <&- >&-
expect "no standard input nor output" 3 "standard output cannot be written"
"$program" tokenize "$2" --text hi <&- >&- 2>&-
expect "no standard stream" 3 ""
echo '{"id":"a","text":"hi"}' | "$program" score "$2" --input - --output "$out.scores" 2>"$out" >&-
expect "scores without standard output" 3 "; the scores are complete in $out.scores"
[ -s "$out.scores" ] || { echo "the scores are not there" && exit 1; }

# The sanitizers need the room that is taken away here.
[ "${3:-}" = "" ] || exit 0
(ulimit -v 300000 && "$program" run -p hi --threads 500 --max-tokens 2 >"$out" 2>&1)
expect "no room for threads" 4 "of 500 threads could be started"
# The loader needs the one that is left; the program wants two.
(exec 3>&- && ulimit -n 4 && exec "$program" --version) >"$out" 2>&1
expect "no room for files" 3 "cannot make a pipe for signals: Too many open files"
