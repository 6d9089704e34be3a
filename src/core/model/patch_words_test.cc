#include "core/model/patch_words.h"

#include <gtest/gtest.h>
#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

TEST(PatchWords, SayWhatChangedFromWhatToWhat) {
  JobSpec before;
  before.time.limit = Seconds{3600};
  before.argv = {"python", "train.py"};
  JobPatch patch;
  patch.put(&JobSpec::argv, {"python", "better.py"});
  patch.put(&TimeRule::limit, Seconds{5400});
  patch.put(&Needs::vram_bytes, std::uint64_t{8} << 30);
  patch.put(&Needs::gpus, {2, 4});
  patch.put(&SpecExtras::after, {{JobId{7}, DependencyKind::kAny}, {JobId{8}}});
  expect_words(words_of_change(patch, before, patch.applied_to(before)));
}

TEST(PatchWords, AreSilentAboutWhatStaysAndAboutSecrets) {
  JobSpec before;
  before.name = "same";
  JobPatch patch;
  patch.put(&JobSpec::name, "same");
  EXPECT_EQ(words_of_change(patch, before, patch.applied_to(before)), "");
  patch.put(&SpecExtras::variables, {"TOKEN=secret", "OLD"});
  expect_words(words_of_change(patch, before, patch.applied_to(before)));
}

TEST(PatchWords, VariablesAddUpByName) {
  JobSpec before;
  before.extras.edit().variables = {"A=1", "B=2"};
  JobPatch patch;
  patch.put(&SpecExtras::variables, {"A=3", "B"});
  EXPECT_EQ(patch.applied_to(before).extras->variables, (std::vector<std::string>{"A=3", "B"}));
  patch = {};
  patch.put(&SpecExtras::variables, {"C=4"});
  EXPECT_EQ(patch.applied_to(before).extras->variables,
            (std::vector<std::string>{"A=1", "B=2", "C=4"}));
}

}  // namespace
}  // namespace gpusched::testing
