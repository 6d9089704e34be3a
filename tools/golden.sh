#!/bin/sh
# Writes the expected screens of the command line (tests/golden/cli), the sentences of the core
# (tests/golden/core), the messages of each channel (tests/golden/notifier) and the description of
# the API (docs/openapi.json) anew, then shows what changed. Read the difference with your own eyes
# before you commit it: screens at 60 columns first.
#
#   tools/golden.sh [BUILD]        BUILD has tests/cli_test, core_test, notifier_test and
#                                  api_test; build/dev unless given
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/dev}
for program in cli_test core_test notifier_test api_test; do
  if [ ! -x "$build/tests/$program" ]; then
    echo "tools/golden.sh: build $program first: $build/tests/$program is not there" >&2
    exit 66
  fi
done
for program in cli_test core_test notifier_test; do
  GPUSCHED_UPDATE_GOLDEN=1 "$build/tests/$program" --gtest_brief=1
  "$build/tests/$program" --gtest_brief=1
done
GPUSCHED_UPDATE_GOLDEN=1 "$build/tests/api_test" --gtest_brief=1 --gtest_filter='OpenApi.*'
git --no-pager diff --stat -- tests/golden docs/openapi.json
git --no-pager status --short -- tests/golden docs/openapi.json
