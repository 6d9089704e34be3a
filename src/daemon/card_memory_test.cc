#include "daemon/card_memory.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_directory.h"

namespace gpusched::testing {
namespace {

TEST(CardMemory, WithoutAFileNothingIsKnown) {
  TemporaryDirectory directory;
  const auto known = read_card_memory(directory / "");
  ASSERT_TRUE(known) << known.error().message;
  EXPECT_TRUE(known->empty());
}

TEST(CardMemory, WhatIsWrittenIsReadBack) {
  TemporaryDirectory directory;
  const KnownCards cards = {{"GPU-a", "00000000:01:00.0", CardNumber{0}},
                            {"GPU-c", "", CardNumber{2}}};
  ASSERT_TRUE(write_card_memory(directory / "", cards));
  const auto known = read_card_memory(directory / "");
  ASSERT_TRUE(known) << known.error().message;
  EXPECT_EQ(*known, cards);
}

TEST(CardMemory, ABrokenFileIsAnErrorThatNamesIt) {
  TemporaryDirectory directory;
  for (const char* text : {"", "[]", "{\"cards\":[{\"uuid\":\"a\"}]}",
                           "{\"cards\":[{\"uuid\":\"a\",\"number\":1},"
                           "{\"uuid\":\"b\",\"number\":1}]}"}) {
    std::ofstream(directory / "cards.json") << text;
    const auto known = read_card_memory(directory / "");
    ASSERT_FALSE(known) << text;
    EXPECT_NE(known.error().message.find("cards.json"), std::string::npos);
  }
}

TEST(CardMemory, ADirectoryThatIsNotThereIsAnError) {
  TemporaryDirectory directory;
  EXPECT_FALSE(write_card_memory(directory / "none", {}));
}

}  // namespace
}  // namespace gpusched::testing
