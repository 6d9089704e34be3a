#include "mover/words.h"

#include "base/number.h"

namespace gpusched::mover {
namespace {

bool read_attempt(const std::string& text, AttemptId& attempt) {
  const std::size_t dot = text.find('.');
  std::uint64_t job = 0;
  if (dot == std::string::npos || !whole_number(text.substr(0, dot), job) ||
      !whole_number(text.substr(dot + 1), attempt.number)) {
    return false;
  }
  attempt.job = JobId{job};
  return true;
}

bool read_room(const std::string& text, std::vector<CardBytes>& room) {
  const std::size_t equals = text.rfind('=');
  CardBytes card;
  if (equals == std::string::npos || !whole_number(text.substr(equals + 1), card.bytes)) {
    return false;
  }
  card.uuid = text.substr(0, equals);
  room.push_back(std::move(card));
  return true;
}

bool read_yes_or_no(const std::string& text, bool& yes) {
  yes = text == "yes";
  return yes || text == "no";
}

bool read_value(const std::string& flag, const std::string& value, MoveWords& words) {
  if (flag == "--tree") return whole_number(value, words.tree) && words.tree > 1;
  if (flag == "--started") return whole_number(value, words.tree_started);
  if (flag == "--apart") return whole_number(value, words.apart.emplace_back());
  if (flag == "--owner") return whole_number(value, words.owner.emplace());
  if (flag == "--attempt") return read_attempt(value, words.attempt);
  if (flag == "--room") return read_room(value, words.room);
  if (flag == "--reserve") return whole_number(value, words.reserve_bytes);
  if (flag == "--awake") return read_yes_or_no(value, words.awake);
  if (flag == "--at-once") return whole_number(value, words.at_once) && words.at_once > 0;
  if (flag == "--report") return whole_number(value, words.report_fd);
  if (flag == "--token") {
    words.token = value;
    return true;
  }
  std::int64_t seconds = 0;
  if (flag != "--lock-timeout" || !whole_number(value, seconds) || seconds < 1 || seconds > 3600) {
    return false;
  }
  words.lock_timeout = Seconds{seconds};
  return true;
}

}  // namespace

const char* const kUsage =
    "Usage: gpusched-mover out|back DIRECTORY [--tree PID [--started TICKS] [--apart PID]...]\n"
    "                      [--owner UID] [--lock-timeout SECONDS]\n"
    "                      [--room UUID=BYTES]... [--reserve BYTES]\n"
    "                      [--awake yes|no] [--at-once PROCESSES]\n"
    "                      [--attempt ID.N --token TEXT --report FD]\n"
    "Moves the CUDA processes of one attempt out of their cards into host memory, or back.\n"
    "What is out is stopped until it is back; with --awake yes a program that is known to\n"
    "live on runs on, and waits at its next call to the card.\n"
    "The daemon has it started; by hand it is for measuring. Prints its record.\n"
    "Exit status: 0 moved, 1 not moved and unharmed, 2 still away, 3 lost, 64 bad words.\n";

Result<MoveWords> parse_words(const std::vector<std::string>& given) {
  const auto bad = [](std::string why) { return failure(ErrorCode::kInvalid, std::move(why)); };
  MoveWords words;
  if (given.size() < 2 || (given[0] != "out" && given[0] != "back")) {
    return bad("expected out or back, and a directory");
  }
  words.out = given[0] == "out";
  words.directory = given[1];
  for (std::size_t i = 2; i < given.size(); i += 2) {
    if (i + 1 == given.size()) return bad(given[i] + " needs a value");
    if (!read_value(given[i], given[i + 1], words)) {
      return bad("what is " + given[i] + " " + given[i + 1] + "?");
    }
  }
  return words;
}

}  // namespace gpusched::mover
