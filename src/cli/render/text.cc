#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "base/text.h"
#include "cli/render/render.h"

namespace gpusched::cli {

std::string local_time(Wall time, const Page& page) {
  const Seconds offset = page.offset_at == nullptr ? Seconds{0} : page.offset_at(time);
  std::string text = format_time(time + offset);  // "2026-01-01T08:00:00.000Z"
  text.resize(std::min<std::size_t>(text.size(), 19));
  if (text.size() > 10) text[10] = ' ';
  return text;
}

std::string counted(std::uint64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string needs_text(const Needs& needs) {
  std::string text;
  if (needs.gpus.all()) {
    text = "all cards";
  } else if (!needs.wants_cards()) {
    text = counted(static_cast<std::uint64_t>(std::max(needs.cpus, 0)), "CPU", "CPUs");
  } else if (needs.gpus.least != needs.gpus.most) {
    text = fmt::format("{}-{} cards", needs.gpus.least, needs.gpus.most);
  } else {
    text = counted(static_cast<std::uint64_t>(needs.gpus.most), "card", "cards");
  }
  if (needs.wants_cards()) {
    if (needs.vram_bytes > 0) text += " × " + format_size(needs.vram_bytes);
    if (needs.share_percent > 0) text += fmt::format(" {}%", needs.share_percent);
    if (needs.exclusive) text += " alone";
    if (needs.cpus > 0) {
      text += ", " + counted(static_cast<std::uint64_t>(needs.cpus), "CPU", "CPUs");
    }
  }
  if (needs.ram_bytes > 0) text += ", " + format_size(needs.ram_bytes) + " RAM";
  return text;
}

std::string signal_text(int number) {
  struct Name {
    int number;
    std::string_view name;
  };
  static constexpr std::array kNames = {
      Name{SIGHUP, "HUP"},   Name{SIGINT, "INT"},   Name{SIGQUIT, "QUIT"}, Name{SIGILL, "ILL"},
      Name{SIGABRT, "ABRT"}, Name{SIGBUS, "BUS"},   Name{SIGFPE, "FPE"},   Name{SIGKILL, "KILL"},
      Name{SIGUSR1, "USR1"}, Name{SIGSEGV, "SEGV"}, Name{SIGUSR2, "USR2"}, Name{SIGPIPE, "PIPE"},
      Name{SIGALRM, "ALRM"}, Name{SIGTERM, "TERM"}, Name{SIGXCPU, "XCPU"}, Name{SIGXFSZ, "XFSZ"},
      Name{SIGSYS, "SYS"}};
  for (const Name& known : kNames) {
    if (known.number == number) return fmt::format("{} ({})", number, known.name);
  }
  return std::to_string(number);
}

std::string outcome_text(const JobView& job) {
  if (job.cause.empty() || job.state == "completed") return "";
  if (job.cause == "exit" && job.exit_code) return fmt::format("exit {}", *job.exit_code);
  if (job.cause == "signal" && job.signal) return "signal " + signal_text(*job.signal);
  return job.cause;
}

std::string cards_text(const JobView& job) {
  std::string text;
  for (const CardRef& card : job.gpus) {
    if (!text.empty()) text += ',';
    text += std::to_string(card.number);
  }
  return text;
}

std::string elapsed_text(const JobView& job, const Page& page) {
  std::optional<Wall> from = job.waiting() ? job.submitted_at : job.started_at;
  if (!from) return "";
  const Wall until = job.ended_at.value_or(page.now);
  return format_duration(std::max(until - *from, Microseconds{0}));
}

}  // namespace gpusched::cli
