#include "base/pci.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

TEST(Pci, TheKernelHasFourDigitsOfTheDomainUnlessItNeedsMore) {
  EXPECT_EQ(kernel_pci("00000000:3B:00.0"), "0000:3b:00.0");
  EXPECT_EQ(kernel_pci("0000:3b:00.0"), "0000:3b:00.0");
  EXPECT_EQ(kernel_pci("00010000:3B:00.0"), "10000:3b:00.0");
}

TEST(Pci, WhatIsNoAddressIsOnlyInSmallLetters) {
  EXPECT_EQ(kernel_pci(""), "");
  EXPECT_EQ(kernel_pci("3B:00.0"), "3b:00.0");
}

}  // namespace
}  // namespace gpusched
