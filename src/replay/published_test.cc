// Published results, reproduced. The traces are not part of the repository: GPUSCHED_TRACES names
// their folder, else shared/data/traces beside the checkout is looked for.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "replay/simulate.h"

namespace gpusched::replay {
namespace {

std::filesystem::path traces() {
  if (const char* given = std::getenv("GPUSCHED_TRACES")) return given;
  return std::filesystem::path(GPUSCHED_SOURCE_DIRECTORY).parent_path() / "shared/data/traces";
}

std::string contents(const std::string& file) {
  std::ifstream in(traces() / file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

struct Published {
  const char* file;
  const char* machine;
  const char* policy;
  double average_completion_s;
  double relative;  // Of the difference that is allowed.
  const char* tenant = "";
  double average_wait_s = -1;
  double makespan_s = -1;
  int preemptions = -1;
  const char* cost = "";
  const char* counting = "";
};

SimulateAsked request_of(const Published& row) {
  SimulateAsked asked;
  const std::string_view file = row.file;
  asked.format = *format_named(file.substr(0, file.find('/')));
  asked.policy = row.policy;
  asked.machine = *describe_machine(row.machine, "64", "512G");
  if (*row.cost != 0) asked.cost = cost_named(row.cost);
  if (std::string_view(row.counting) == "pool") asked.counting = Counting::kPool;
  if (asked.format == Format::kPhilly) {
    asked.selection = {.tenant = row.tenant,
                       .from = *parse_trace_date("2017-10-01", false),
                       .to = *parse_trace_date("2017-11-30 23:59:00", true),
                       .cards_most = 8};
  }
  return asked;
}

class PublishedResult : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedResult, IsReproduced) {
  const Published& row = GetParam();
  if (!std::filesystem::exists(traces() / row.file)) {
    GTEST_SKIP() << "no traces in " << traces() << "; GPUSCHED_TRACES names their folder";
  }
  TraceText text{.trace = contents(row.file), .restart_costs = {}, .nodes = {}};
  if (std::string_view(row.file).starts_with("muri/")) {
    text.restart_costs = contents("muri/restart_cost_s.csv");
  }
  const auto result = simulate(request_of(row), text);
  ASSERT_TRUE(result.has_value()) << result.error().message;
  const Measures& got = std::get<Simulated>(*result).measures;
  const auto near = [&](double wanted, double value, double digits) {
    EXPECT_NEAR(value, wanted, std::max(digits, wanted * row.relative));
  };
  // Half of the last digit that was published.
  near(row.average_completion_s, got.completion_s.average,
       row.average_completion_s > 1e5 ? 0.051 : 0.0006);
  if (row.average_wait_s >= 0) near(row.average_wait_s, got.wait_s.average, 0.051);
  if (row.makespan_s >= 0) near(row.makespan_s, got.makespan_s, 0.0006);
  if (row.preemptions >= 0) {
    EXPECT_EQ(got.preemptions, static_cast<std::uint64_t>(row.preemptions));
  }
}

constexpr const char* kMuri1 = "muri/trace1.csv";
constexpr const char* kMuri3 = "muri/trace3.csv";
constexpr const char* kSixty = "tiresias/60_job.csv";
constexpr const char* kPhilly = "philly/philly.csv";
// Ties could be broken otherwise; as it is, nothing differs in the digits that were published.
constexpr double kTies = 0;

INSTANTIATE_TEST_SUITE_P(
    Muri, PublishedResult,
    ::testing::Values(
        Published{kMuri1, "8x8", "srtf", 1370603.198, kTies, "", -1, 26045465.533},
        Published{kMuri1, "8x8", "srsf", 980140.570, kTies},
        Published{kMuri1, "8x8", "las", 3330371.307, kTies},
        Published{kMuri3, "8x8", "srtf", 193081.796, kTies, "", -1, 8174135.280},
        Published{kMuri3, "8x8", "srsf", 185021.880, kTies},
        Published{kMuri3, "8x8", "las", 347213.248, kTies},
        Published{kMuri1, "8x8", "fifo-strict", 11184832.39, 0, "", -1, -1, -1, "none"},
        Published{kMuri1, "8x8", "fifo-greedy", 5570541.93, 0, "", -1, -1, -1, "none"},
        Published{kMuri1, "8x8", "srtf", 1333917.26, 0, "", -1, -1, -1, "none", "pool"},
        Published{kMuri1, "8x8", "srsf", 952245.38, 0, "", -1, -1, -1, "none", "pool"},
        Published{kMuri3, "8x8", "fifo-strict", 991215.65, 0, "", -1, -1, -1, "none"},
        Published{kMuri3, "8x8", "fifo-strict", 991167.02, 0, "", -1, -1, -1, "none", "pool"},
        Published{kMuri3, "8x8", "fifo-greedy", 480913.25, 0, "", -1, -1, -1, "none"},
        Published{kMuri3, "8x8", "easy", 421204, 1e-6, "", -1, -1, -1, "none", "pool"}));

INSTANTIATE_TEST_SUITE_P(
    Tiresias, PublishedResult,
    ::testing::Values(Published{kSixty, "1x8", "fifo-strict", 1556.483, 0, "", 1378.067, 5747, 0},
                      Published{kSixty, "1x8", "fifo-greedy", 715.267, 0, "", 536.850, 4806, 0},
                      Published{kSixty, "1x8", "srtf", 519.867, 0, "", 341.450, 4901, 7},
                      Published{kSixty, "1x8", "srsf", 563.383, 0, "", 384.967, 4962, 13},
                      Published{kSixty, "1x8", "las", 715.267, 0, "", 536.850, 4806, 0},
                      Published{kSixty, "1x8", "easy", 854.767, 0},
                      Published{kSixty, "2x8", "fifo-strict", 200.817, 0},
                      Published{kSixty, "2x8", "fifo-greedy", 190.683, 0},
                      Published{kSixty, "2x8", "srtf", 192.117, 0},
                      Published{kSixty, "2x8", "srsf", 195.900, 0},
                      Published{kSixty, "1x16", "las", 190.683, 0},
                      Published{kSixty, "1x16", "easy", 194.133, 0}));

INSTANTIATE_TEST_SUITE_P(
    Philly, PublishedResult,
    ::testing::Values(
        Published{kPhilly, "1x8", "fifo-strict", 263184.2, 0, "ed69ec", 237725.2},
        Published{kPhilly, "1x8", "sjf", 123037.1, 0, "ed69ec", 97578.1},
        Published{kPhilly, "1x8", "srtf", 102496.0, 1e-3, "ed69ec", 77034.1},
        Published{kPhilly, "1x8", "las", 137467, 1e-5, "ed69ec", -1, -1, -1, "none"},
        Published{kPhilly, "1x8", "fifo-strict", 405936.4, 0, "e13805", 358762.2},
        Published{kPhilly, "1x8", "sjf", 114298.6, 0, "e13805", 67124.4},
        Published{kPhilly, "1x8", "srtf", 82168.4, 1e-3, "e13805", 34987.8},
        Published{kPhilly, "1x8", "fifo-greedy", 252499, 1e-5, "e13805", -1, -1, -1, "none"},
        Published{kPhilly, "1x8", "easy", 270591, 1e-5, "e13805", -1, -1, -1, "none"},
        Published{kPhilly, "1x8", "las", 137567, 1e-5, "e13805", -1, -1, -1, "none"}));

TEST(PublishedPacking, IsReproducedWithinHalfAPoint) {
  const std::string tasks = "openb/openb_pod_list_default.csv";
  if (!std::filesystem::exists(traces() / tasks)) {
    GTEST_SKIP() << "no traces in " << traces() << "; GPUSCHED_TRACES names their folder";
  }
  const TraceText text{.trace = contents(tasks),
                       .restart_costs = {},
                       .nodes = contents("openb/openb_node_list_gpu_node.csv")};
  for (const auto& [policy, percent] :
       {std::pair{"random", 86.30}, {"best-fit", 92.86}, {"fgd", 95.23}}) {
    SimulateAsked asked;
    asked.format = Format::kOpenb;
    asked.policy = policy;
    asked.seeds = 10;
    const auto result = simulate(asked, text);
    ASSERT_TRUE(result.has_value());
    EXPECT_EQ(std::get<PackingResult>(*result).cards, 6212);
    EXPECT_NEAR(std::get<PackingResult>(*result).mean(), percent, 0.5) << policy;
  }
}

}  // namespace
}  // namespace gpusched::replay
