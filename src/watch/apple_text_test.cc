// Property lists, the stream of them, and the registry's text.
#include <gtest/gtest.h>

#include "tests/support/watch_fixtures.h"
#include "watch/ioreg_text.h"
#include "watch/plist.h"
#include "watch/powermetrics_text.h"

namespace gpusched::watch {
namespace {

std::string whole(const std::string& inside) {
  return "<?xml version=\"1.0\"?>\n<plist version=\"1.0\">" + inside + "</plist>\n";
}

TEST(Plist, ReadsEveryKindOfValue) {
  const auto read = parse_plist(whole(
      "<dict><key>a &amp; b</key><string>&lt;x&gt;</string><key>n</key><integer>-5</integer>"
      "<key>r</key><real>2.5e3</real><key>t</key><true/><key>f</key><false></false>"
      "<key>l</key><array><integer>1</integer><!-- two --><string/></array><key>e</key><dict/>"
      "<key>d</key><date>2026-01-01T00:00:00Z</date></dict>"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read->find("a & b")->text(), "<x>");
  EXPECT_EQ(read->find("n")->number(), -5);
  EXPECT_EQ(read->find("r")->number(), 2500);
  EXPECT_EQ(std::get<bool>(read->find("t")->value), true);
  EXPECT_EQ(std::get<bool>(read->find("f")->value), false);
  EXPECT_EQ(std::get<PlistValue::Array>(read->find("l")->value).size(), 2U);
  EXPECT_EQ(read->find("not there"), nullptr);
}

TEST(Plist, OfAKeyThatStandsTwiceTheFirstCounts) {
  const auto read = parse_plist(
      whole("<dict><key>k</key><integer>1</integer><key>k</key><integer>2</integer></dict>"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->find("k")->number(), 1);
}

TEST(Plist, WhatIsCutOffOrCrookedIsAnError) {
  const std::string good = whole("<dict><key>k</key><integer>1</integer></dict>");
  const std::size_t end = good.find("</plist>") + 8;
  for (std::size_t size = 0; size < end; ++size) {
    EXPECT_FALSE(parse_plist(good.substr(0, size))) << size;
  }
  for (const char* bad :
       {"<dict><integer>1</integer></dict>", "<dict><key>k</key></dict>", "<integer>x</integer>",
        "<integer>99999999999999999999</integer>", "<real>1,5</real>", "<string>&x;</string>",
        "<string>a</key>", "<weird/>", "<array><dict></array></dict>", "text", "<true>1</true>",
        "<dict/><dict/>"}) {
    EXPECT_FALSE(parse_plist(whole(bad))) << bad;
  }
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "<array>";
  EXPECT_FALSE(parse_plist(whole(deep)));
}

TEST(PowermetricsText, ReadsUseClockAndPower) {
  const auto read = parse_powermetrics(testing::powermetrics_plist(0.75, 1500));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->busy_percent, 25);
  EXPECT_EQ(read->core_clock_mhz, 339);
  EXPECT_EQ(read->power_watts, 1.5);
  EXPECT_EQ(read->energy_joules, 1.5);
  EXPECT_EQ(read->hardware_model, "MacBookPro18,3");
}

TEST(PowermetricsText, WhatIsNotSaidIsAbsent) {
  const auto read = parse_powermetrics(
      whole("<dict><key>gpu</key><dict><key>idle_ratio</key><real>1.5</real></dict></dict>"));
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->busy_percent);
  EXPECT_FALSE(read->power_watts);
  EXPECT_FALSE(read->core_clock_mhz);
  EXPECT_FALSE(parse_powermetrics(whole("<dict/>")));
}

TEST(PlistStream, CutsAStreamWhereverItsPiecesEnd) {
  const std::string one = testing::powermetrics_plist(0.5, 1);
  const std::string two = testing::powermetrics_plist(0.25, 2);
  const std::string all = one + std::string(1, '\0') + two + std::string(1, '\0');
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, all.size()}) {
    PlistStream stream;
    std::vector<std::string> found;
    for (std::size_t at = 0; at < all.size(); at += step) {
      for (std::string& each : stream.take(std::string_view(all).substr(at, step))) {
        found.push_back(std::move(each));
      }
    }
    ASSERT_EQ(found.size(), 2U) << step;
    EXPECT_TRUE(parse_powermetrics(found[0]));
    EXPECT_EQ(parse_powermetrics(found[1])->busy_percent, 75) << step;
  }
}

TEST(PlistStream, ASampleIsThereBeforeTheNextOneBegins) {
  PlistStream stream;
  EXPECT_EQ(stream.take(testing::powermetrics_plist(0.5, 1)).size(), 1U);
}

TEST(PlistStream, WhatNeverEndsIsDroppedUpToTheNext) {
  PlistStream stream;
  const std::string noise(300'000, 'x');
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(stream.take(noise).empty());
  EXPECT_TRUE(stream.take("</plist>").empty());
  EXPECT_EQ(stream.take(std::string(1, '\0') + testing::powermetrics_plist(0.5, 1)).size(), 1U);
}

TEST(IoregText, ReadsUseAndMemory) {
  const auto gpus = apple_gpus(parse_ioreg(testing::kIoregAccelerator));
  ASSERT_EQ(gpus.size(), 1U);
  EXPECT_EQ(gpus[0].model, "Apple M1 Pro");
  EXPECT_EQ(gpus[0].sample.busy_percent, 42);
  EXPECT_EQ(gpus[0].sample.used_bytes, 340983808U);
}

TEST(IoregText, PassesOverOtherMakersAndReadsATree) {
  EXPECT_TRUE(
      apple_gpus(parse_ioreg("+-o Intel  <class IntelAccelerator, id 0x1>\n  {\n"
                             "  \"PerformanceStatistics\" = {\"Device Utilization %\"=1}\n"))
          .empty());
  const auto entries = parse_ioreg(
      "+-o Root  <class IORegistryEntry, id 0x1>\n  | {\n  |   \"a\" = 1\n  | }\n"
      "  +-o AGX  <class AGXAccelerator, id 0x2>\n    |   \"model\" = <\"Apple M9\">\n"
      "    |   \"PerformanceStatistics\" = {\"Alloc system memory\"=7}\n");
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].property("a"), "1");
  const auto gpus = apple_gpus(entries);
  ASSERT_EQ(gpus.size(), 1U);
  EXPECT_EQ(gpus[0].model, "Apple M9");
  EXPECT_EQ(gpus[0].sample.used_bytes, 7U);
  EXPECT_FALSE(gpus[0].sample.busy_percent);
}

TEST(IoregText, ListsEachProcessOnce) {
  const auto found = apple_processes(parse_ioreg(testing::kIoregClients));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].pid, 390);
  EXPECT_EQ(found[0].name, "WindowServer");
  EXPECT_EQ(found[1].name, "Python, x");
  EXPECT_FALSE(found[1].vram_bytes);
  EXPECT_TRUE(apple_processes(parse_ioreg("+-o A  <class B>\n \"IOUserClientCreator\" = \"pid -1, "
                                          "x\"\n"))
                  .empty());
}

}  // namespace
}  // namespace gpusched::watch
