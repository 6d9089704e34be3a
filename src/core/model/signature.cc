#include "core/model/signature.h"

#include <algorithm>
#include <utility>

#include "core/model/kind.h"
#include "core/model/program.h"
#include "core/model/varying_parts.h"

namespace gpusched {
namespace {

// FNV-1a.
void mix(std::uint64_t& hash, std::string_view text) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  hash = (hash ^ 0xff) * kPrime;  // Where one word ends; no text has this byte in UTF-8.
}

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
  if (!job.task || kind_of(job).no_command != nullptr || job.task->values.empty()) return {};
  Signing signing(job, kOfSweep);
  for (const std::string& word : job.spec->argv) signing.add(word);
  return signing.done();
}

Signature program_signature_of(const Job& job) {
  const JobSpec& spec = *job.spec;
  if (kind_of(job).no_command != nullptr || spec.argv.empty() || !spec.needs.wants_cards())
    return {};
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
