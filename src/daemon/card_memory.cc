#include "daemon/card_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>

#include "json/json_fields.h"
#include "json/json_writer.h"
#include "os/fd.h"

namespace gpusched {
namespace {

constexpr std::size_t kLargestFile = 1U << 20;
constexpr int kNumberMost = 65535;

std::string path_of(const std::string& directory) { return directory + "/cards.json"; }

Result<KnownCards> parse_memory(const std::string& text) {
  const Result<JsonValue> value = parse_json(text);
  if (!value) return failure(value.error());
  Fields fields(*value);
  int schema = 1;
  fields.number("schema", schema, 1, 1);
  KnownCards known;
  std::set<CardNumber> numbers;
  if (const JsonArray* cards = fields.list("cards")) {
    for (const JsonValue& entry : *cards) {
      Fields card(entry, "cards.");
      KnownCard each;
      int number = 0;
      if (!card.text("uuid", each.uuid)) card.fault("uuid", "is missing");
      card.text("pci", each.pci);
      if (!card.number("number", number, 0, kNumberMost)) card.fault("number", "is missing");
      each.number = CardNumber{static_cast<std::uint16_t>(number)};
      if (!numbers.insert(each.number).second) card.fault("number", "is there twice");
      if (Result<void> read = card.finish(); !read) return failure(read.error());
      known.push_back(std::move(each));
    }
  }
  if (Result<void> read = fields.finish(); !read) return failure(read.error());
  return known;
}

std::string memory_text(const KnownCards& known) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1).key("cards").begin_array();
  for (const KnownCard& card : known) {
    json.begin_object().field("number", number_of(card.number)).field("uuid", card.uuid);
    json.field("pci", card.pci).end_object();
  }
  json.end_array().end_object();
  return out + "\n";
}

bool write_whole(int fd, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = ::write(fd, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return ::fsync(fd) == 0;
}

}  // namespace

Result<KnownCards> read_card_memory(const std::string& state_directory) {
  const std::string path = path_of(state_directory);
  std::ifstream file(path, std::ios::binary);
  if (!file && errno == ENOENT) return KnownCards{};
  std::string text(kLargestFile, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.eof()) {
    return failure(ErrorCode::kIo, fmt::format("read '{}': {}", path, std::strerror(errno)));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  auto known = parse_memory(text);
  if (!known) {
    return failure(known.error().code, fmt::format("read '{}': {}", path, known.error().message));
  }
  return known;
}

Result<void> write_card_memory(const std::string& state_directory, const KnownCards& known) {
  // By rename: a power cut leaves the old file or the new one.
  const std::string path = path_of(state_directory);
  const std::string draft = path + ".new";
  Fd file(::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  const bool written = file && write_whole(file.get(), memory_text(known)) &&
                       ::rename(draft.c_str(), path.c_str()) == 0;
  if (written) return {};
  return failure(ErrorCode::kIo, fmt::format("write '{}': {}", path, std::strerror(errno)));
}

}  // namespace gpusched
