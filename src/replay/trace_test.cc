#include "replay/trace.h"

#include <gtest/gtest.h>

#include "replay/cost_model.h"
#include "replay/packing.h"

namespace gpusched::replay {
namespace {

TEST(ReadNative, SaysWhichLineIsWrong) {
  EXPECT_EQ(read_native("submit_s,duration_s\n0,x\n").error().message,
            "line 2: 'x' is not a number of zero or more");
  EXPECT_EQ(read_native("submit_s,duration_s\n0\n").error().message,
            "line 2: 1 cells where the first line has 2");
  EXPECT_EQ(read_native("submit_s,colour\n").error().message,
            "line 1: there is no column 'colour'");
  EXPECT_EQ(read_native("submit_s\n0\n").error().message,
            "line 1: the columns submit_s and duration_s are needed");
  EXPECT_EQ(select(*read_native(""), {}).error().message, "the trace has no jobs");
}

constexpr std::string_view kMuriHead =
    "job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,"
    "iteration_time,resource_time_0,resource_time_1,resource_time_2,priority\r\n";

TEST(ReadMuri, MillisecondsAndTheFactorThatWasPublished) {
  const std::string text =
      std::string(kMuriHead) + "0,4,1500,1000,vgg16,16,300000,0,200,1,1,0.5,1\r\n";
  const auto clean = read_muri(text, false);
  ASSERT_TRUE(clean.has_value());
  EXPECT_EQ(clean->front().submit, std::chrono::milliseconds{1500});
  EXPECT_EQ(clean->front().duration, Seconds{300});
  EXPECT_EQ(clean->front().cards(), 4);
  EXPECT_EQ(clean->front().model, "vgg16");
  EXPECT_EQ(read_muri(text, true)->front().duration, Seconds{203});
}

TEST(ReadMuri, SaysWhichLineIsWrong) {
  EXPECT_EQ(read_muri("num_gpu,submit_time\r\n", false).error().message,
            "line 1: the column 'iterations' is missing");
  EXPECT_EQ(
      read_muri(std::string(kMuriHead) + "0,0,0,1,a,1,1,0,1,1,1,1,1\r\n", false).error().message,
      "line 2: num_gpu: a job needs at least one");
  EXPECT_EQ(
      read_muri(std::string(kMuriHead) + "0,1.5,0,1,a,1,1,0,1,1,1,1,1\r\n", false).error().message,
      "line 2: num_gpu: '1.5' is not a whole number");
}

TEST(ReadTiresias, WholeSeconds) {
  const auto trace = read_tiresias(
      "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n"
      "0,8,30,133,vgg11,147,23\n");
  ASSERT_TRUE(trace.has_value());
  EXPECT_EQ(trace->front().submit, Seconds{30});
  EXPECT_EQ(trace->front().duration, Seconds{147});
  EXPECT_EQ(read_tiresias("job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n"
                          "0,8,-30,133,vgg11,147,23\n")
                .error()
                .message,
            "line 2: submit_time: '-30' is not a number of zero or more");
}

constexpr std::string_view kPhillyText =
    "timestamp,duration,num_gpus,gpu_time,cluster\n"
    "2017-12-01 00:00:00,10.0,1,10.0,a\n"
    "2017-11-30 23:59:59,20.0,16,20.0,a\n"
    "2017-10-01 00:00:00,30.0,1,30.0,b\n"
    "2017-09-30 23:59:59,40.0,1,40.0,a\n";

TEST(ReadPhilly, SelectsByDateTenantAndSizeAndSorts) {
  Selection selection;
  selection.from = *parse_trace_date("2017-10-01", false);
  selection.to = *parse_trace_date("2017-11-30", true);
  const auto both = select(*read_philly(kPhillyText, selection), selection);
  ASSERT_TRUE(both.has_value());
  ASSERT_EQ(both->size(), 2u);
  EXPECT_EQ(both->front().tenant, "b");
  EXPECT_EQ(both->back().line, 3u);
  selection.cards_most = 8;
  EXPECT_EQ(select(*read_philly(kPhillyText, selection), selection)->size(), 1u);
  selection.tenant = "c";
  EXPECT_EQ(select(*read_philly(kPhillyText, selection), selection).error().message,
            "no job of the trace is selected");
}

TEST(ReadPhilly, SaysWhichLineIsWrong) {
  const auto wrong = read_philly("timestamp,duration,num_gpus,cluster\n2017-13-01,1,1,a\n", {});
  EXPECT_EQ(wrong.error().message,
            "line 2: timestamp: '2017-13-01' is not a date such as 2017-10-01 or "
            "\"2017-10-01 06:30:00\"");
}

TEST(TraceDate, ADateAloneIsADay) {
  EXPECT_EQ(*parse_trace_date("2017-10-01", true) - *parse_trace_date("2017-10-01", false),
            Seconds{86'399});
  EXPECT_EQ(*parse_trace_date("2017-10-01T06:30", false),
            *parse_trace_date("2017-10-01 06:30:00", true));
  EXPECT_FALSE(parse_trace_date("2017-10-01 25:00:00", false).has_value());
  EXPECT_FALSE(parse_trace_date("yesterday", false).has_value());
}

TEST(RestartCosts, ByModelAndSizeElseTenSeconds) {
  const auto costs = RestartCosts::parse("num_gpu,vgg16\r\n1,7\r\n8,9.5\r\n");
  ASSERT_TRUE(costs.has_value());
  TraceJob job;
  job.model = "vgg16";
  EXPECT_EQ(costs->of(job), Seconds{7});
  job.needs.gpus = {8, 8};
  EXPECT_EQ(costs->of(job), std::chrono::milliseconds{9500});
  job.needs.gpus = {4, 4};
  EXPECT_EQ(costs->of(job), Seconds{10});
  EXPECT_EQ(RestartCosts::parse("num_gpu,vgg16\n1,x\n").error().message,
            "line 2: vgg16: 'x' is not a number of zero or more");
}

TEST(ReadOpenb, TasksAndMachines) {
  const auto trace = read_openb(
      "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n"
      "t0,1000,10,1,500,T4|P100\nt1,1000,10,0,0,\n",
      "sn,cpu_milli,memory_mib,gpu,model\nn1,8000,100,2,V100\nn0,8000,100,2,T4\n");
  ASSERT_TRUE(trace.has_value());
  EXPECT_EQ(trace->nodes.front().name, "n0");
  EXPECT_TRUE(fits_in(trace->tasks[0].request, trace->nodes[0].room));
  EXPECT_FALSE(fits_in(trace->tasks[0].request, trace->nodes[1].room));
  EXPECT_TRUE(fits_in(trace->tasks[1].request, trace->nodes[1].room));
  EXPECT_EQ(read_openb("name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\nt,1,1,1,2000,\n",
                       "sn,cpu_milli,memory_mib,gpu,model\n")
                .error()
                .message,
            "line 2: gpu_milli: '2000' is more than 1000");
}

TEST(ReadOpenb, ATraceWithoutTheColumnGpuSpecHasTasksThatTakeAnyModel) {
  constexpr const char* kNodes = "sn,cpu_milli,memory_mib,gpu,model\nn0,8000,100,2,T4\n";
  const auto trace =
      read_openb("name,cpu_milli,memory_mib,num_gpu,gpu_milli\nt0,1000,10,1,500\n", kNodes);
  ASSERT_TRUE(trace.has_value()) << trace.error().message;
  EXPECT_EQ(trace->tasks[0].request.models, 0U);
  EXPECT_TRUE(fits_in(trace->tasks[0].request, trace->nodes[0].room));
  EXPECT_EQ(read_openb("name,cpu_milli,memory_mib,num_gpu,gpu_spec\n", kNodes).error().message,
            "line 1: the column 'gpu_milli' is missing");
}

}  // namespace
}  // namespace gpusched::replay
