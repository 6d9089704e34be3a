// Identities as distinct types, so that a job's number can never be passed where a card's is meant.
#pragma once

#include <cstdint>
#include <string>

namespace gpusched {

enum class JobId : std::uint64_t {};
constexpr std::uint64_t number_of(JobId id) { return static_cast<std::uint64_t>(id); }
constexpr JobId next(JobId id) { return JobId{number_of(id) + 1}; }
inline std::string to_string(JobId id) { return std::to_string(number_of(id)); }

// A card's stable number, in PCI order.
enum class CardNumber : std::uint16_t {};
constexpr int number_of(CardNumber card) { return static_cast<int>(card); }

// Of a job's command without what varies (signature.h). 0: none.
enum class SignatureId : std::uint64_t {};
constexpr std::uint64_t number_of(SignatureId id) { return static_cast<std::uint64_t>(id); }

// One run of a job's command. The pair names an attempt for life: job directories, cgroups and
// every report from a supervisor carry it, so that a late message can never hit a newer attempt.
struct AttemptId {
  JobId job{};
  int number = 0;
  friend auto operator<=>(const AttemptId&, const AttemptId&) = default;
};
inline std::string to_string(AttemptId id) {
  return to_string(id.job) + "." + std::to_string(id.number);
}

}  // namespace gpusched
