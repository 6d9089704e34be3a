#include "cli/screen_modes.h"

#include <gtest/gtest.h>

namespace gpusched::cli {
namespace {

TEST(ScreenModes, WhatWasSwitchedOnIsSwitchedOff) {
  ScreenModes modes;
  modes.see("hello\x1b[1mbold\x1b[?1049h\x1b[?25l\x1b[?1002;1006h");
  EXPECT_EQ(modes.undo(), "\x1b[?1002l\x1b[?1006l\x1b[?1049l\x1b[?25h\x1b[0m");
}

TEST(ScreenModes, AProgramThatHasLeftItsScreenOwesNothing) {
  ScreenModes modes;
  modes.see("\x1b[?1049h\x1b[?25l picture \x1b[?25h\x1b[?1049l");
  EXPECT_EQ(modes.undo(), "");
}

TEST(ScreenModes, SequencesMayComeInPieces) {
  ScreenModes modes;
  for (const char c : std::string_view("\x1b[?1049h")) modes.see({&c, 1});
  EXPECT_EQ(modes.undo(), "\x1b[?1049l\x1b[0m");
}

TEST(ScreenModes, OtherBytesMeanNothing) {
  ScreenModes modes;
  modes.see("[?1049h \x1b?1049h \x1b[1049h \x1b[?99999999999999999999h \x1b[?7h");
  modes.see("\x1b[?" + std::string(1000, '1') + "h");
  EXPECT_EQ(modes.undo(), "");
}

}  // namespace
}  // namespace gpusched::cli
