#include "jobdir/move_record.h"

#include "base/number.h"
#include "base/text.h"
#include "jobdir/job_directory.h"
#include "jobdir/record.h"

namespace gpusched {
namespace {

constexpr std::string_view kLeftWords[] = {"running", "aside", "lost"};

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  return whole_number(text, value) ? std::optional(value) : std::nullopt;
}

std::string write_cards(const std::vector<CardBytes>& cards) {
  std::string text;
  for (const CardBytes& card : cards) {
    text += (text.empty() ? "" : " ") + card.uuid + "=" + std::to_string(card.bytes);
  }
  return text;
}

bool read_cards(std::string_view text, std::vector<CardBytes>& cards) {
  while (!text.empty()) {
    const std::string_view word = take_until(text, ' ');
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return false;
    const auto bytes = number_in<std::uint64_t>(word.substr(equals + 1));
    if (!bytes) return false;
    cards.push_back({std::string(word.substr(0, equals)), *bytes});
  }
  return true;
}

bool read_process(std::string_view text, MoveRecord::Process& process) {
  const auto pid = number_in<int>(take_until(text, ' '));
  const auto started = number_in<std::int64_t>(take_until(text, ' '));
  if (!pid || !started || *pid < 1) return false;
  process.pid = *pid;
  process.started = Boot{Microseconds{*started}};
  return read_cards(text, process.cards);
}

std::string word_of(const Record& record, const char* key) {
  const std::string* value = record.find(key);
  return value == nullptr ? std::string() : *value;
}

Microseconds time_of(const Record& record, const char* key) {
  return Microseconds{record.number(key).value_or(0)};
}

}  // namespace

std::uint64_t MoveRecord::bytes() const {
  std::uint64_t sum = 0;
  for (const Process& process : processes) {
    for (const CardBytes& card : process.cards) sum += card.bytes;
  }
  return sum;
}

std::uint64_t MoveRecord::bytes_on(const std::string& uuid) const {
  std::uint64_t sum = 0;
  for (const Process& process : processes) {
    for (const CardBytes& card : process.cards) sum += card.uuid == uuid ? card.bytes : 0;
  }
  return sum;
}

std::string write_move(const MoveRecord& move) {
  Record record;
  record.set("direction", move.out ? "out" : "back");
  record.set("token", move.token);
  record.set("state", move.done ? "done" : "begun");
  if (move.done) record.set("outcome", move.moved ? "moved" : "failed");
  if (move.done && !move.moved) {
    record.set("left", kLeftWords[static_cast<std::size_t>(move.left)]);
    record.set("never", std::int64_t{move.never});
    record.set("error", move.error);
  }
  record.set("lock_us", std::int64_t{move.times.lock.count()});
  record.set("checkpoint_us", std::int64_t{move.times.checkpoint.count()});
  record.set("restore_us", std::int64_t{move.times.restore.count()});
  record.set("unlock_us", std::int64_t{move.times.unlock.count()});
  record.set("whole_us", std::int64_t{move.times.whole.count()});
  record.set("copied", static_cast<std::int64_t>(move.copied));
  record.set("stopped", std::int64_t{move.stopped});
  record.set("processes", static_cast<std::int64_t>(move.processes.size()));
  for (std::size_t i = 0; i < move.processes.size(); ++i) {
    const MoveRecord::Process& process = move.processes[i];
    const std::string cards = write_cards(process.cards);
    record.set("process_" + std::to_string(i),
               std::to_string(process.pid) + " " +
                   std::to_string(process.started.time_since_epoch().count()) +
                   (cards.empty() ? "" : " ") + cards);
    if (process.thread != 0) {
      record.set("thread_" + std::to_string(i), std::int64_t{process.thread});
    }
  }
  record.set("beside", write_cards(move.beside));
  if (!move.memory_max.empty()) record.set("memory_max", move.memory_max);
  return record.write();
}

Result<MoveRecord> parse_move(std::string_view text) {
  const auto damaged = [](const char* why) { return failure(ErrorCode::kIo, why); };
  const auto record = Record::parse(text);
  if (!record) return failure(record.error());
  MoveRecord move;
  const std::string direction = word_of(*record, "direction");
  if (direction != "out" && direction != "back") return damaged("a move has no direction");
  move.out = direction == "out";
  move.token = word_of(*record, "token");
  move.done = word_of(*record, "state") == "done";
  move.moved = word_of(*record, "outcome") == "moved";
  if (move.done && !move.moved) {
    const std::string left = word_of(*record, "left");
    bool known = false;
    for (std::size_t i = 0; i < std::size(kLeftWords); ++i) {
      if (left != kLeftWords[i]) continue;
      move.left = static_cast<MoveLeft>(i);
      known = true;
    }
    if (!known) return damaged("a move that failed does not say where it left the job");
    move.never = record->number("never").value_or(0) != 0;
    move.error = word_of(*record, "error");
  }
  move.times = {time_of(*record, "lock_us"), time_of(*record, "checkpoint_us"),
                time_of(*record, "restore_us"), time_of(*record, "unlock_us"),
                time_of(*record, "whole_us")};
  move.copied = static_cast<std::uint64_t>(record->number("copied").value_or(0));
  move.stopped = record->number("stopped").value_or(0) != 0;
  const std::int64_t count = record->number("processes").value_or(0);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string* line = record->find("process_" + std::to_string(i));
    MoveRecord::Process process;
    if (line == nullptr || !read_process(*line, process)) return damaged("a process is not whole");
    process.thread = static_cast<int>(record->number("thread_" + std::to_string(i)).value_or(0));
    move.processes.push_back(std::move(process));
  }
  if (!read_cards(word_of(*record, "beside"), move.beside)) return damaged("a card is not whole");
  move.memory_max = word_of(*record, "memory_max");
  return move;
}

std::optional<MoveRecord> read_move(int directory) {
  const auto text = read_file(directory, kMoveFile);
  if (!text || !text->has_value()) return std::nullopt;
  auto record = parse_move(**text);
  if (!record) return std::nullopt;
  return std::move(*record);
}

}  // namespace gpusched
