#include "jobdir/record.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

TEST(Record, ComesBackAsItWas) {
  Record record;
  std::string every_byte;
  for (int i = 0; i < 256; ++i) every_byte.push_back(static_cast<char>(i));
  record.set("bytes", every_byte);
  record.set("empty", std::string_view());
  record.set("negative", std::int64_t{-5});
  const auto back = Record::parse(record.write());
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back->find("bytes"), every_byte);
  EXPECT_EQ(*back->find("empty"), "");
  EXPECT_EQ(back->number("negative"), -5);
  EXPECT_EQ(back->find("absent"), nullptr);
}

TEST(Record, IsPlainTextWithOneLinePerValue) {
  Record record;
  record.set("message", std::string_view("100%\nsure"));
  EXPECT_EQ(record.write(), "version=1\nmessage=100%25%0asure\nend=1\n");
}

TEST(Record, ANumberWithAnythingElseIsNone) {
  for (const char* text : {"", " 1", "1 ", "0x10", "1e3", "99999999999999999999", "+1", "one"}) {
    Record record;
    record.set("n", std::string_view(text));
    EXPECT_FALSE(record.number("n").has_value()) << text;
  }
}

TEST(Record, RefusesWhatIsDamaged) {
  const std::string good = "version=1\na=b\nend=1\n";
  ASSERT_TRUE(Record::parse(good));
  for (std::size_t cut = 0; cut < good.size(); ++cut) {
    EXPECT_FALSE(Record::parse(good.substr(0, cut))) << cut;
  }
  for (const char* text :
       {"version=2\na=b\nend=1\n", "version=1\na=b\nend=1\nmore", "version=1\nab\nend=1\n",
        "version=1\n=b\nend=1\n", "version=1\na=b\na=c\nend=1\n", "version=1\na=%zz\nend=1\n",
        "version=1\na=%4\nend=1\n", "version=1\na=\x01\nend=1\n", "version=1\nA=b\nend=1\n",
        "version=1\n\nend=1\n"}) {
    EXPECT_FALSE(Record::parse(text)) << text;
  }
  EXPECT_FALSE(Record::parse("version=1\na=" + std::string(Record::kLargest, 'x') + "\nend=1\n"));
}

}  // namespace
}  // namespace gpusched
