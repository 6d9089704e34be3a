#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands/verbs.h"
#include "cli/files.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "json/json_writer.h"

namespace gpusched::cli {
namespace {

constexpr std::array<FlagSection, 2> kBackupSections = {FlagSection{"Trying out", kDryRunFlags},
                                                        FlagSection{"General", kCommonFlags}};

Result<std::uint64_t> copy_store(const Client& client, NewFile& file) {
  auto exchange = client.open({.target = "/v1/backup"});
  if (!exchange) return failure(exchange.error());
  std::uint64_t bytes = 0;
  while (true) {
    auto part = exchange->read_some();
    if (!part) return failure(part.error());
    if (part->empty()) break;
    if (auto written = file.write(*part); !written) return failure(written.error());
    bytes += part->size();
  }
  if (bytes == 0) return failure(ErrorCode::kInternal, "the daemon sent an empty backup");
  return bytes;
}

int run_backup(const Arguments& arguments) {
  if (arguments.operands.size() != 1) {
    return fail({ErrorCode::kInvalid, "name the file to write: gpusched backup FILE"});
  }
  const std::string& path = arguments.operands[0];
  auto file = NewFile::create(path);
  if (!file) return fail(file.error());
  const Client client = client_of(arguments);
  if (arguments.has("--dry-run")) {
    auto reached = client.call({.target = "/v1/version"});
    if (!reached) return fail(reached.error());
    note(fmt::format("would write a backup to {}; nothing was written", path));
    return kExitOk;
  }
  auto bytes = copy_store(client, *file);
  if (!bytes) return fail(bytes.error());
  if (auto kept = file->keep(); !kept) return fail(kept.error());
  if (arguments.has("--json")) {
    std::string text;
    JsonWriter json(text);
    json.begin_object().field("schema", 1).field("file", path).field("bytes", *bytes).end_object();
    auto done = print(text + "\n");
    return done ? kExitOk : fail(done.error());
  }
  note(fmt::format("wrote {} to {}", format_size(*bytes), path));
  return kExitOk;
}

}  // namespace

constinit const Verb kBackupVerb = {
    .name = "backup",
    .summary = "copy the queue into a file, while the daemon runs",
    .usage = "backup FILE [FLAGS]",
    .about =
        "The copy is consistent, and whole or not there. A file that exists is never overwritten.\n"
        "To restore: stop the daemon, put the copy in place of the store in its state directory.",
    .examples = "gpusched backup queue-$(date +%F).db",
    .sections = kBackupSections,
    .operands = Operands::kWords,
    .run = run_backup,
};

}  // namespace gpusched::cli
