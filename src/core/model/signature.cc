#include "core/model/signature.h"

#include <algorithm>
#include <utility>

#include "core/model/program.h"

namespace gpusched {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_digit(c) || is_letter(c); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

std::size_t digits_from(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end;
}

// Where the number that begins at `at` ends: 12, 0.5, 1e-4. `at` itself: there is none, or it is
// part of a name such as 7b.
std::size_t number_from(std::string_view text, std::size_t at) {
  std::size_t end = digits_from(text, at);
  if (end == at) return at;
  if (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1])) {
    end = digits_from(text, end + 1);
  }
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    std::size_t exponent = end + 1;
    if (exponent < text.size() && (text[exponent] == '-' || text[exponent] == '+')) ++exponent;
    if (const std::size_t stop = digits_from(text, exponent); stop > exponent) end = stop;
  }
  return end < text.size() && is_letter(text[end]) ? at : end;
}

// Hashes, ids of runs and what mkdtemp() makes.
bool is_random(std::string_view word) {
  constexpr std::size_t kHashLeast = 8;
  constexpr std::string_view kTemporary = "tmp";
  if (word.size() < kHashLeast) return false;
  const bool digits = std::ranges::any_of(word, is_digit);
  return (digits && std::ranges::all_of(word, is_hex)) ||
         (word.starts_with(kTemporary) && word.size() > kHashLeast);
}

// Dates, versions and lists of numbers are one thing that varies.
void put_mark(std::string& out) {
  constexpr std::string_view kBetween = "-_.:,T";
  if (out.size() >= 2 && out[out.size() - 2] == '#' && kBetween.find(out.back()) != kBetween.npos) {
    out.pop_back();
    return;
  }
  if (out.empty() || out.back() != '#') out += '#';
}

// FNV-1a.
void mix(std::uint64_t& hash, std::string_view text) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  hash = (hash ^ 0xff) * kPrime;  // Where one word ends; no text has this byte in UTF-8.
}

}  // namespace

std::string without_varying_parts(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      out += text[at++];
      continue;
    }
    if (const std::size_t end = number_from(text, at); end > at) {
      put_mark(out);
      at = end;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    if (is_random(word)) {
      put_mark(out);
    } else {
      out += word;
    }
    at = end;
  }
  return out;
}

namespace {

// A signature that grows word by word.
class Signing {
 public:
  Signing(const Job& job, std::string_view kind) {
    mix(hash_, job.tenant);
    mix(hash_, kind);
  }
  void add(std::string_view word) {
    const std::string kept = without_varying_parts(word);
    mix(hash_, kept);
    if (command_.size() >= Signature::kCommandMost) return;
    if (!command_.empty()) command_ += ' ';
    command_ += kept;
  }
  Signature done() {
    if (command_.size() > Signature::kCommandMost) command_.resize(Signature::kCommandMost);
    return {SignatureId{std::max<std::uint64_t>(hash_, 1)}, std::move(command_)};
  }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
  std::string command_;
};

// No command has this among its first words, so that the ways to recognise a job do not mix.
constexpr std::string_view kOfLease = "\x01lease";
constexpr std::string_view kOfSweep = "\x01sweep";
constexpr std::string_view kOfProgram = "\x01program";

}  // namespace

Signature signature_of(const Job& job) {
  if (const auto& lease = job.spec->lease) {
    const std::string& name = lease->program.empty() ? lease->application : lease->program;
    if (name.empty()) return {};
    Signing lease_signing(job, kOfLease);
    lease_signing.add(name);
    return lease_signing.done();
  }
  Signing signing(job, job.spec->shell ? "sh" : "");
  for (const std::string& word : command_of(job)) signing.add(word);
  return signing.done();
}

Signature sweep_signature_of(const Job& job) {
  if (!job.task || job.spec->lease || job.task->values.empty()) return {};
  Signing signing(job, kOfSweep);
  for (const std::string& word : job.spec->argv) signing.add(word);
  return signing.done();
}

Signature program_signature_of(const Job& job) {
  const JobSpec& spec = *job.spec;
  if (spec.lease || spec.argv.empty() || !spec.needs.wants_cards()) return {};
  const std::vector<std::string> command = command_of(job);
  const std::string program = program_of_command(command, spec.working_directory);
  if (program.empty()) return {};
  Signing signing(job, kOfProgram);
  signing.add(program);
  return signing.done();
}

Signatures signatures_of(const Job& job) {
  if (job.signature != SignatureId{}) {
    return {job.signature, job.sweep_signature, job.program_signature};
  }
  return {signature_of(job).id, sweep_signature_of(job).id, program_signature_of(job).id};
}

SignatureId signature_id_of(const Job& job) {
  return job.signature != SignatureId{} ? job.signature : signature_of(job).id;
}

void sign(Job& job) {
  const Signatures known = signatures_of(job);
  job.signature = known.exact;
  job.sweep_signature = known.sweep;
  job.program_signature = known.program;
}

}  // namespace gpusched
