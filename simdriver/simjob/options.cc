#include "simdriver/simjob/options.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>

#include "base/text.h"

namespace gpusched::simjob {
namespace {

using Milliseconds = std::chrono::milliseconds;

Result<int> parse_count(const std::string& text, int least, int most) {
  int number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || number < least ||
      number > most) {
    return failure(ErrorCode::kInvalid, fmt::format("expected {} to {}", least, most));
  }
  return number;
}

template <class T, class U>
Result<void> keep(Result<T> read, U& where) {
  if (!read) return failure(read.error());
  where = static_cast<U>(*read);
  return {};
}

using Reader = std::function<Result<void>(Options&, const std::string&)>;

const std::map<std::string, Reader>& readers() {
  static const std::map<std::string, Reader> all = {
      {"--vram",
       [](Options& o, const std::string& v) { return keep(parse_size(v), o.vram_bytes); }},
      {"--util", [](Options& o,
                    const std::string& v) { return keep(parse_count(v, 0, 100), o.util_percent); }},
      {"--ramp", [](Options& o, const std::string& v) { return keep(parse_pause(v), o.ramp); }},
      {"--seconds", [](Options& o, const std::string& v) { return keep(parse_pause(v), o.work); }},
      {"--step-ms",
       [](Options& o, const std::string& v) {
         int ms = 0;
         auto kept = keep(parse_count(v, 1, 60000), ms);
         if (kept) o.step = Milliseconds(ms);
         return kept;
       }},
      {"--gpus",
       [](Options& o, const std::string& v) { return keep(parse_count(v, 1, 64), o.gpus); }},
      {"--alloc-pieces",
       [](Options& o, const std::string& v) { return keep(parse_count(v, 1, 100000), o.pieces); }},
      {"--busy-threads",
       [](Options& o, const std::string& v) {
         return keep(parse_count(v, 0, 64), o.busy_threads);
       }},
      {"--steps-file",
       [](Options& o, const std::string& v) {
         o.steps_file = v;
         return Result<void>();
       }},
  };
  return all;
}

}  // namespace

const char* const kHelp =
    "Usage: gpusched-simjob [--vram SIZE] [--util PERCENT] [--ramp TIME] [--seconds N]\n"
    "                       [--gpus N] [--alloc-pieces N] [--step-ms N] [--steps-file FILE]\n"
    "                       [--resume] [--managed] [--busy-threads N]\n"
    "A job for simulated cards: takes memory, keeps cards busy, counts its steps.\n"
    "  --vram SIZE        memory per card, taken within --ramp\n"
    "  --util PERCENT     share of each card it would use alone (50)\n"
    "  --seconds N        of work at full speed (10); 0: until it is ended\n"
    "  --steps-file FILE  the number of steps done, always up to date\n"
    "  --resume           go on from the number in that file\n"
    "  --managed          take unified memory, which a driver cannot move aside\n"
    "  --busy-threads N   threads that read host memory which the driver manages, as those of\n"
    "                     JAX do: they die if they run while the job is away from its cards\n";

Result<Milliseconds> parse_pause(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  const double factor = unit == "ms" ? 1 : unit == "m" ? 60000 : 1000;
  const bool known = unit.empty() || unit == "s" || unit == "ms" || unit == "m";
  if (end == text.c_str() || !known || !std::isfinite(number) || number < 0 || number > 1e9) {
    return failure(ErrorCode::kInvalid, "expected a time such as 5, 5s or 250ms");
  }
  return Milliseconds(static_cast<std::int64_t>(number * factor));
}

Result<Options> parse_options(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--help" || words[i] == "-h") {
      options.help = true;
      continue;
    }
    if (words[i] == "--resume") {
      options.resume = true;
      continue;
    }
    if (words[i] == "--managed") {
      options.managed = true;
      continue;
    }
    // --flag VALUE and --flag=VALUE.
    const std::size_t equals = words[i].find('=');
    const std::string flag = words[i].substr(0, equals);
    const auto reader = readers().find(flag);
    if (reader == readers().end()) {
      return failure(ErrorCode::kInvalid, fmt::format("there is no {}; see --help", words[i]));
    }
    if (equals == std::string::npos && i + 1 == words.size()) {
      return failure(ErrorCode::kInvalid, fmt::format("{} needs a value", flag));
    }
    const std::string value =
        equals == std::string::npos ? words[++i] : words[i].substr(equals + 1);
    if (auto read = reader->second(options, value); !read) {
      return failure(ErrorCode::kInvalid,
                     fmt::format("{} {}: {}", flag, value, read.error().message));
    }
  }
  if (options.resume && options.steps_file.empty()) {
    return failure(ErrorCode::kInvalid, "--resume needs --steps-file");
  }
  return options;
}

}  // namespace gpusched::simjob
