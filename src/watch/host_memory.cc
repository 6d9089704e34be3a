#include "watch/host_memory.h"

#ifdef __APPLE__
#include <sys/sysctl.h>
#endif

#include "watch/child.h"
#include "watch/numbers.h"
#include "watch/run_program.h"

namespace gpusched::watch {

std::optional<std::uint64_t> apple_memory_bytes(const Host& host) {
#ifdef __APPLE__
  std::uint64_t bytes = 0;
  std::size_t size = sizeof bytes;
  if (::sysctlbyname("hw.memsize", &bytes, &size, nullptr, 0) == 0 && bytes > 0) return bytes;
#endif
  const auto program = find_program("sysctl", host.program_path);
  if (!program) return std::nullopt;
  ProgramRun run;
  run.arguments = {*program, "-n", "hw.memsize"};
  const auto output = run_program(run, host);
  if (!output || output->exit_code != 0) return std::nullopt;
  const auto said = whole_number(output->output);
  return said && *said > 0 ? said : std::nullopt;
}

}  // namespace gpusched::watch
