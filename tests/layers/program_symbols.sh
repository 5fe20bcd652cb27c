#!/usr/bin/env bash
# program_symbols.sh PROGRAM LIBRARY...: fails when a function defined in a *_reference.cc of the libraries is in PROGRAM.
set -euo pipefail
program=$1
shift
[ $# -gt 0 ] || exit 77

# Strong functions only: weak ones are inline code of headers, which both sides share.
references=$(nm --defined-only --extern-only "$@" | awk '/_reference\.cc\.o:$/ { on = 1; next } /:$/ { on = 0 }
  on && $2 == "T" { print $3 }' | sort -u)
[ -n "$references" ] || { echo "the libraries define no reference function: this check would check nothing" && exit 1; }
inside=$(comm -12 <(nm --defined-only "$program" | awk '{ print $3 }' | sort -u) - <<<"$references")
[ -z "$inside" ] || { printf 'reference code inside %s:\n%s\n' "$program" "$(c++filt <<<"$inside")" && exit 1; }
echo "none of $(wc -l <<<"$references") reference functions is in $program"
