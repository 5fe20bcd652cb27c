#!/usr/bin/env bash
# Installs a build to a folder of its own and asks the installed program for an answer of the installed demo model.
#   install_test.sh BUILD_FOLDER
set -euo pipefail
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
unset FATHOM_DEMO_MODEL
cmake --install "$1" --prefix "$prefix" >/dev/null
demo=$prefix/share/fathom/demo
[ -f "$demo/config.json" ] || { echo "the demo model is not installed in $demo" && exit 1; }

ask() { "$prefix/bin/fathom" run -p "What is MLA?" --temperature 0; }
answer=$(ask 2>/dev/null)
grep -q latent <<<"$answer" || { echo "not an answer to the question: $answer" && exit 1; }

# The source tree holds the same model: the installed one is the one that is read if its damage is noticed.
echo '{' >"$demo/config.json"
if error=$(ask 2>&1); then echo "the demo model of another place was taken: $error" && exit 1; fi
grep -q "where: run: .*share/fathom/demo/config.json" <<<"$error" || { echo "unexpected: $error" && exit 1; }
