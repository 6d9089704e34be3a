#include "mover/host_memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.h"

namespace gpusched::mover {
namespace {

TEST(HostMemory, TheTightestControlGroupDecides) {
  const testing::TemporaryDirectory directory;
  const std::string base = directory.path();
  std::filesystem::create_directories(base + "/user/notebook");
  const auto put = [&](const std::string& name, const std::string& text) {
    std::ofstream(base + name) << text;
  };
  EXPECT_FALSE(room_in_groups(base, "/user/notebook")) << "no limit";
  put("/user/notebook/memory.max", "max\n");
  EXPECT_FALSE(room_in_groups(base, "/user/notebook"));
  put("/user/memory.max", "1000\n");
  put("/user/memory.current", "700\n");
  EXPECT_EQ(room_in_groups(base, "/user/notebook"), 300U);
  put("/user/memory.stat", "anon 500\nfile 200\nkernel 0\n");
  EXPECT_EQ(room_in_groups(base, "/user/notebook"), 500U) << "cached files give way";
  put("/user/notebook/memory.max", "100\n");
  put("/user/notebook/memory.current", "150\n");
  EXPECT_EQ(room_in_groups(base, "/user/notebook"), 0U);
  EXPECT_FALSE(room_in_groups(base, "/"));
}

}  // namespace
}  // namespace gpusched::mover
