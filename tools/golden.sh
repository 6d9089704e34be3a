#!/bin/sh
# Writes the expected screens of the command line (tests/golden/cli) anew, then shows what changed.
# Read the difference with your own eyes before you commit it: at 60 columns first.
#
#   tools/golden.sh [BUILD]        BUILD has tests/cli_test in it; build/dev unless given
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/dev}
if [ ! -x "$build/tests/cli_test" ]; then
  echo "tools/golden.sh: build cli_test first: $build/tests/cli_test is not there" >&2
  exit 66
fi
GPUSCHED_UPDATE_GOLDEN=1 "$build/tests/cli_test" --gtest_brief=1
"$build/tests/cli_test" --gtest_brief=1
git --no-pager diff --stat -- tests/golden/cli
git --no-pager status --short -- tests/golden/cli
