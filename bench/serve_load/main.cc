// Puts a load on an HTTP server and prints what it saw, as one line of JSON. bench/serve writes the
// plan (plan.h) to its input.
#include <csignal>
#include <cstdio>
#include <iostream>

#include "json/json_writer.h"
#include "load.h"

namespace gpusched {
namespace {

void print(LoadResult& result) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("seconds", result.seconds).field("events", result.events);
  json.field("stream_bytes", result.stream_bytes).field("streams_ended", result.streams_ended);
  json.field("first_fault", result.first_fault).key("asks").begin_object();
  for (auto& [name, counted] : result.by_ask) {
    json.key(name).begin_object().field("count", counted.latencies.count());
    json.field("bytes", counted.bytes).field("p50_ms", counted.latencies.share(0.5));
    json.field("p90_ms", counted.latencies.share(0.9));
    json.field("p99_ms", counted.latencies.share(0.99));
    json.field("worst_ms", counted.latencies.share(1)).key("by_status").begin_object();
    for (const auto& [status, count] : counted.by_status) {
      json.field(std::to_string(status), count);
    }
    json.end_object().end_object();
  }
  json.end_object().end_object();
  std::puts(text.c_str());
}

int run() {
  const Result<LoadPlan> plan = read_plan(std::cin);
  if (!plan) {
    std::fprintf(stderr, "serve_load: %s\n", plan.error().message.c_str());
    return 2;
  }
  Load load(*plan);
  if (const auto connected = load.connect(); !connected) {
    std::fprintf(stderr, "serve_load: %s\n", connected.error().message.c_str());
    return 1;
  }
  LoadResult result = load.run();
  print(result);
  return 0;
}

}  // namespace
}  // namespace gpusched

int main() {
  std::signal(SIGPIPE, SIG_IGN);
  return gpusched::run();
}
