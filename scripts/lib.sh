# Shared by the scripts of this folder; sourced, never run.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

say() { printf '== %s\n' "$*"; }
warn() { printf 'warning: %s\n' "$*" >&2; }
die() {
  printf 'error: %s\n' "$1" >&2
  [ $# -lt 2 ] || printf '  fix: %s\n' "$2" >&2
  exit 2
}

# The packages of the given groups of packages.txt.
packages_of() {
  local group
  for group in "$@"; do awk -v group="$group" '$1 == group { print $2 }' scripts/packages.txt; done
}

installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "packages are missing, you are not root, and there is no sudo" "as root: $*"
  fi
}

# Installs those of the named packages that are missing; touches nothing when none is.
need_packages() {
  local package missing=()
  command -v dpkg-query >/dev/null ||
    die "this script installs packages by apt and there is no dpkg here" \
      "on another system install the like of scripts/packages.txt, then see CONTRIBUTING.md"
  for package in "$@"; do installed "$package" || missing+=("$package"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing ${#missing[@]} packages: ${missing[*]}"
  as_root apt-get update -q
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" ||
    die "apt-get could not install: ${missing[*]}" "see apt's message above; the system must be Debian 12"
}

# Configures a preset: configure_preset PRESET [-DNAME=VALUE...]
configure_preset() {
  mkdir -p build
  cmake --preset "$@" >build/configure.log 2>&1 || {
    cat build/configure.log >&2
    return 1
  }
}

# Configures and builds targets of a preset: build_preset PRESET [-DNAME=VALUE...] -- TARGET...
build_preset() {
  local preset=$1 options=()
  shift
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  say "building ${*:-everything} (build/$preset)"
  configure_preset "$preset" "${options[@]}" || return
  cmake --build "build/$preset" --parallel "$jobs" ${*:+--target "$@"}
}

jobs=${FATHOM_JOBS:-$(nproc)}
