#include "notify/notifier_process.h"

#include <unistd.h>

#include <utility>

#include "child/line_child.h"

namespace gpusched {
namespace {

constexpr int kJournalDescriptor = 3;

}  // namespace

std::string find_notifier_program() { return find_program("gpusched-notifier"); }

Result<std::unique_ptr<NotifierProcess>> NotifierProcess::start(boost::asio::io_context& loop,
                                                                const std::string& program,
                                                                int journal, Handlers handlers) {
  // No variable of ours is its business, and no descriptor: all others are closed at its start.
  // One delivery at a time for each receiver, of bounded size: what it has not taken is bounded.
  LineChild::Options child{.command = {program},
                           .environment = {},
                           .descriptors = {{journal, kJournalDescriptor}},
                           .line_most = kNotifierLineMost,
                           .killed_when_left = false};
  if (::geteuid() == 0) child.command.insert(child.command.end(), {"--user", "nobody"});
  LineChild::Handlers hear;
  hear.line = [outcome = std::move(handlers.outcome),
               complain = handlers.complain](std::string_view line) {
    auto read = read_outcome(line);
    if (read) {
      outcome(std::move(*read));
    } else {
      complain("a line of gpusched-notifier: " + read.error().message);
    }
  };
  hear.ended = std::move(handlers.ended);
  hear.complain = std::move(handlers.complain);
  auto started = LineChild::start(loop, child, std::move(hear));
  if (!started) return failure(std::move(started.error()));
  return std::unique_ptr<NotifierProcess>(new NotifierProcess(std::move(*started)));
}

NotifierProcess::NotifierProcess(std::unique_ptr<LineChild> child) : child_(std::move(child)) {}
NotifierProcess::~NotifierProcess() = default;
void NotifierProcess::send(const Delivery& delivery) { child_->send(write_line(delivery)); }
void NotifierProcess::kill() { child_->kill(); }

}  // namespace gpusched
