#include "gpu/sampler_process.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "child/line_child.h"
#include "wire/sampler_lines.h"

extern char** environ;

namespace gpusched {
namespace {

// Orders that a stuck sampler has not taken; what comes later replaces what came earlier anyway.
constexpr std::size_t kOrdersMost = 256U << 10;

// Our environment, with these in place of equal names.
std::vector<std::string> environment_with(const std::vector<std::string>& added) {
  std::vector<std::string> all = added;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    const std::string_view name = variable.substr(0, variable.find('=') + 1);
    const bool replaced =
        std::ranges::any_of(added, [&](const std::string& one) { return one.starts_with(name); });
    if (!replaced) all.emplace_back(variable);
  }
  return all;
}

}  // namespace

std::string find_sampler_program() { return find_program("gpusched-sampler"); }

Result<std::unique_ptr<SamplerProcess>> SamplerProcess::start(boost::asio::io_context& loop,
                                                              const Options& options,
                                                              Handlers handlers) {
  LineChild::Options child{.command = {options.program},
                           .environment = environment_with(options.variables),
                           .line_most = kSamplerLineMost,
                           .unsent_most = kOrdersMost};
  if (options.once) child.command.emplace_back("--once");
  LineChild::Handlers hear;
  hear.line = [report = std::move(handlers.report),
               complain = handlers.complain](std::string_view line) {
    auto read = read_report(line);
    if (read) {
      report(std::move(*read));
    } else {
      complain("a line of gpusched-sampler: " + read.error().message);
    }
  };
  hear.ended = std::move(handlers.ended);
  hear.complain = std::move(handlers.complain);
  auto started = LineChild::start(loop, child, std::move(hear));
  if (!started) return failure(std::move(started.error()));
  return std::unique_ptr<SamplerProcess>(new SamplerProcess(std::move(*started)));
}

SamplerProcess::SamplerProcess(std::unique_ptr<LineChild> child) : child_(std::move(child)) {}
SamplerProcess::~SamplerProcess() = default;
void SamplerProcess::send(const watch::Order& order) { child_->send(write_order(order)); }
void SamplerProcess::kill() { child_->kill(); }

}  // namespace gpusched
