#!/bin/sh
# Writes the expected screens of the command line (tests/golden/cli) and the sentences of the core
# (tests/golden/core) anew, then shows what changed. Read the difference with your own eyes before
# you commit it: screens at 60 columns first.
#
#   tools/golden.sh [BUILD]        BUILD has tests/cli_test and core_test; build/dev unless given
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/dev}
for program in cli_test core_test; do
  if [ ! -x "$build/tests/$program" ]; then
    echo "tools/golden.sh: build $program first: $build/tests/$program is not there" >&2
    exit 66
  fi
done
for program in cli_test core_test; do
  GPUSCHED_UPDATE_GOLDEN=1 "$build/tests/$program" --gtest_brief=1
  "$build/tests/$program" --gtest_brief=1
done
git --no-pager diff --stat -- tests/golden
git --no-pager status --short -- tests/golden
