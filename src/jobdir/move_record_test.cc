#include "jobdir/move_record.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

MoveRecord full_record() {
  MoveRecord record;
  record.out = false;
  record.token = "12.3";
  record.done = true;
  record.left = MoveLeft::kLost;
  record.never = true;
  record.error = "why: 5 % of it\nis gone";
  record.times = {Microseconds{1}, Microseconds{2}, Microseconds{3}, Microseconds{4},
                  Microseconds{5}};
  record.processes = {{7, Boot{Microseconds{70}}, 71, {{"GPU-a", 100}, {"GPU-b", 1}}},
                      {8, Boot{Microseconds{80}}, 0, {}}};
  record.copied = 101;
  record.stopped = true;
  record.beside = {{"GPU-a", 5}};
  record.memory_max = "4096";
  return record;
}

TEST(MoveRecord, ReadsWhatItWrote) {
  const auto read = parse_move(write_move(full_record()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, full_record());
  EXPECT_EQ(read->bytes(), 101U);
  EXPECT_EQ(read->bytes_on("GPU-a"), 100U);
}

TEST(MoveRecord, OneThatWasBegunIsNotDone) {
  MoveRecord begun;
  begun.token = "1";
  const auto read = parse_move(write_move(begun));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, begun);
  EXPECT_FALSE(read->done);
}

TEST(MoveRecord, RefusesWhatIsDamaged) {
  const std::string good = write_move(full_record());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  for (const std::string& bad :
       {std::string(), good.substr(0, good.size() - 3), with("direction=back", "direction=up"),
        with("left=lost", "left=gone"), with("process_0=7 70", "process_0=x 70"),
        with("GPU-b=1", "GPU-b=one"), with("processes=2", "processes=3"),
        with("beside=GPU-a=5", "beside=GPU-a")}) {
    EXPECT_FALSE(parse_move(bad)) << bad;
  }
}

}  // namespace
}  // namespace gpusched
