// The signature of a job: its tenant and its command without what varies from run to run, so that
// the next run of the same program is recognised. Numbers that stand alone, random names and dates
// go; names stay, also those that end in digits (`resnet50`, `llama-7b`, `8G`): they mean another
// need. The card's model is the other half of the key under which past runs are kept
// (core/state/estimates.h).
//
// Where the signature is new there are two wider ways to recognise a job: by the template of its
// sweep, and by its program and script. They are ids of the same kind, and are kept alike.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/model/job.h"

namespace gpusched {

struct Signature {
  SignatureId id{};
  std::string command;  // For people; at most kCommandMost bytes.
  static constexpr std::size_t kCommandMost = 400;
};

// Of a lease: its holder's program, else its application. Id 0: neither is known.
Signature signature_of(const Job& job);
// The command of a sweep without the values that differ. Id 0: the job is not of a sweep.
Signature sweep_signature_of(const Job& job);
// Program and script. Id 0: not known, a lease, or a job without cards.
Signature program_signature_of(const Job& job);

// From near to far; 0: not recognised in that way.
struct Signatures {
  SignatureId exact{};
  SignatureId sweep{};
  SignatureId program{};
};
// Known already for jobs of a state.
Signatures signatures_of(const Job& job);
SignatureId signature_id_of(const Job& job);
// Has them worked out.
void sign(Job& job);

}  // namespace gpusched
