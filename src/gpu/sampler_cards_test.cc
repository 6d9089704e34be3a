#include "gpu/sampler_cards.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <boost/asio/io_context.hpp>
#include <fstream>
#include <optional>

#include "tests/support/temporary_directory.h"

namespace gpusched::testing {
namespace {

class SamplerCardsTest : public ::testing::Test {
 protected:
  // Stands in for gpusched-sampler.
  std::string program(const std::string& script) {
    const std::string path = directory_ / "sampler";
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    ::chmod(path.c_str(), 0755);
    return path;
  }
  Result<CardsFound> find(const std::string& path,
                          std::chrono::milliseconds deadline = std::chrono::seconds(60)) {
    boost::asio::io_context loop(1);
    const auto backend = make_sampler_cards(loop, path, deadline).value();
    std::optional<Result<CardsFound>> found;
    backend->find_cards([&](Result<CardsFound> result) { found = std::move(result); });
    EXPECT_FALSE(found) << "Answered from inside the call.";
    loop.run();
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "A child was left behind.";
    return found ? *found : failure(ErrorCode::kInternal, "No answer.");
  }
  TemporaryDirectory directory_;
};

TEST_F(SamplerCardsTest, ReadsWhatTheSamplerPrints) {
  const auto found =
      find(program(R"(test "$*" = --once && echo '{"v":1,"type":"cards","cards":[)"
                   R"({"number":0,"uuid":"GPU-a","vram_bytes":100,"model":"NVIDIA A"},)"
                   R"({"number":1,"uuid":"GPU-b","vram_bytes":7,"model":"B"}]}'; echo garbage)"));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->source, "nvml");
  ASSERT_EQ(found->cards.size(), 2u);
  EXPECT_EQ(found->cards[1].uuid, "GPU-b");
}

TEST_F(SamplerCardsTest, NoDriverMeansNoCards) {
  const auto found = find(program("exit 3"));
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->source, "none");
  EXPECT_TRUE(found->cards.empty());
}

TEST_F(SamplerCardsTest, ATroubledDriverIsAnError) {
  auto found = find(program("exit 1"));
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("exit code 1"), std::string::npos);
  found = find(program("kill -SEGV $$"));
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("signal 11"), std::string::npos);
}

TEST_F(SamplerCardsTest, AMissingProgramIsAnError) {
  const auto found = find(directory_ / "none");
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("No such file"), std::string::npos);
}

TEST_F(SamplerCardsTest, AHungDriverIsGivenUpAtTheDeadline) {
  const auto found = find(program("exec tail -f /dev/null"), std::chrono::milliseconds(50));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(found.error().message.find("within 50 ms"), std::string::npos);
}

TEST_F(SamplerCardsTest, EndlessOutputIsCutOff) {
  const auto found = find(program("exec yes"));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace gpusched::testing
