// The signature of a job: its tenant and its command without what varies from run to run, so that
// the next run of the same program is recognised. Numbers that stand alone, random names and dates
// go; names stay, also those that end in digits (`resnet50`, `llama-7b`, `8G`): they mean another
// need. The card's model is the other half of the key under which past runs are kept
// (core/estimates.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/job.h"

namespace gpusched {

struct Signature {
  SignatureId id{};
  std::string command;  // For people; at most kCommandMost bytes.
  static constexpr std::size_t kCommandMost = 400;
};

Signature signature_of(const Job& job);
// The same without the words; known already for jobs of a state.
SignatureId signature_id_of(const Job& job);

// The text with what varies replaced by `#`.
std::string without_varying_parts(std::string_view text);

}  // namespace gpusched
