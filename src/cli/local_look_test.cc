#include "cli/local_look.h"

#include <gtest/gtest.h>

#include "cli/files.h"
#include "json/json_value.h"

namespace gpusched::cli {
namespace {

std::string lines_of(const std::string& name) {
  return *read_input(GPUSCHED_GOLDEN_DIRECTORY "/cli/" + name + ".jsonl");
}

TEST(LocalLook, PutsTheLinesTogetherByCard) {
  const auto look = read_look(lines_of("local-two"));
  ASSERT_TRUE(look) << look.error().message;
  ASSERT_EQ(look->cards.size(), 2U);
  EXPECT_EQ(look->cards[0].state, "ok");
  ASSERT_TRUE(look->cards[0].sample);
  EXPECT_EQ(look->cards[1].state, "unknown");
  EXPECT_FALSE(look->cards[1].sample);
  EXPECT_FALSE(driver_in_trouble(*look));
}

TEST(LocalLook, TheTableNamesOwnersJobsAndSilentCards) {
  const std::string text = look_text(*read_look(lines_of("local-two")), 0);
  EXPECT_NE(text.find("lab: python train.py (job 7)"), std::string::npos) << text;
  EXPECT_NE(text.find("unknown: the driver has not answered for 2000 ms"), std::string::npos);
  EXPECT_EQ(text.find("amdgpu"), std::string::npos) << "what is absent and not missed is noise";
}

TEST(LocalLook, WithoutCardsEveryBackendSaysWhy) {
  const auto look = read_look(lines_of("local-none"));
  ASSERT_TRUE(look);
  EXPECT_EQ(look_text(*look, 80),
            "No card was found.\n  nvml: no NVIDIA driver library\n"
            "  intel: no card has the driver i915 or xe\n");
  EXPECT_FALSE(driver_in_trouble(*look));
}

TEST(LocalLook, ABrokenDriverIsATrouble) {
  const auto look = read_look(
      R"({"v":1,"type":"cards","cards":[],"backends":[{"name":"nvml","trouble":"too new"}]})");
  ASSERT_TRUE(look);
  EXPECT_TRUE(driver_in_trouble(*look));
}

TEST(LocalLook, TheDocumentHasWhatTheLinesSay) {
  const auto value = parse_json(look_json(*read_look(lines_of("local-two"))));
  ASSERT_TRUE(value);
  const auto* cards = value->find("cards")->as<JsonArray>();
  ASSERT_EQ(cards->size(), 2U);
  EXPECT_EQ(*cards->at(0).find("sample")->find("used_bytes")->as<std::uint64_t>(), 9663676416U);
  EXPECT_EQ(cards->at(0).find("processes")->as<JsonArray>()->size(), 1U);
  EXPECT_EQ(*cards->at(1).find("state")->as<std::string>(), "unknown");
  EXPECT_EQ(cards->at(1).find("sample"), nullptr);
  EXPECT_EQ(value->find("backends")->as<JsonArray>()->size(), 2U);
}

TEST(LocalLook, LinesThatAreNoneAreAnErrorThatNamesTheProgram) {
  const auto look = read_look("Segmentation fault\n");
  ASSERT_FALSE(look);
  EXPECT_NE(look.error().message.find("gpusched-sampler"), std::string::npos);
}

}  // namespace
}  // namespace gpusched::cli
