#include "api/veil.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/answers.h"
#include "base/number.h"

namespace gpusched {
namespace {

// Before a number they say that it is a job's.
constexpr std::array<std::string_view, 16> kJobWords = {
    "job",  "jobs",   "Job",    "lease",   "leases", "array", "resume", "set",
    "show", "cancel", "attach", "explain", "pause",  "hold",  "sweep",  "requeue"};

bool is_word_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The words of a sentence, and what stands between them.
std::vector<std::string> pieces_of(std::string_view text) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    const bool word = is_word_letter(text.front());
    std::size_t end = 0;
    while (end < text.size() && is_word_letter(text[end]) == word) ++end;
    pieces.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return pieces;
}

bool is_number(std::string_view piece) {
  return !piece.empty() && std::ranges::all_of(piece, is_digit);
}

// Between the numbers of one list.
bool joins(std::string_view piece) { return piece == ", " || piece == " " || piece == " and "; }

// "7." at the end of a sentence is a number, too.
std::string take_tail(std::string& piece) {
  std::string tail;
  while (!piece.empty() && !is_digit(piece.back()) &&
         !std::isalpha(static_cast<unsigned char>(piece.back()))) {
    tail.insert(tail.begin(), piece.back());
    piece.pop_back();
  }
  return tail;
}

}  // namespace

bool hides_others(const Context& context, const Principal& actor) {
  // Of nobody in particular: as others'.
  return !may(actor, Action::kSeeJob, {}, context.limits.visibility == Visibility::kAll);
}

Veil::Veil(const Context& context, const Principal& actor)
    : context_(context), actor_(actor), covers_(hides_others(context, actor)) {}

bool Veil::shows_counts() const { return context_.limits.visibility != Visibility::kOwn; }

bool Veil::sees(const Job& job) const {
  return !covers_ || may(actor_, Action::kSeeJob, owned_by(job.owner));
}

bool Veil::sees(JobId job) const {
  if (!covers_) return true;
  const Job* found = context_.state().find(job);
  return found != nullptr && sees(*found);
}

bool Veil::sees_user(std::string_view user) const {
  return !covers_ || (!user.empty() && user == actor_.user);
}

bool Veil::sees_uid(std::optional<std::uint32_t> uid) const {
  return !covers_ || (uid && may(actor_, Action::kSeeJob, {.uid = uid}));
}

bool Veil::sees_tenant(std::string_view tenant) const {
  return !covers_ || (!tenant.empty() && (tenant == actor_.tenant || tenant == actor_.user));
}

const std::set<std::string>& Veil::names_of_others() const {
  if (names_) return *names_;
  names_.emplace();
  const TenantBook& tenants = context_.state().tenants();
  for (const auto& [name, entry] : tenants.entries()) names_->insert(name);
  for (const auto& [user, tenant] : tenants.configured().tenant_of_user) names_->insert(user);
  for (const JobId id : context_.state().active()) {
    names_->insert(context_.state().find(id)->owner.user);
  }
  for (const auto& [id, reservation] : context_.state().reservations()) {
    names_->insert({reservation.user, reservation.by});
  }
  names_->erase("");
  names_->erase(std::string(kDefaultTenant));
  names_->erase(actor_.user);
  names_->erase(actor_.tenant);
  return *names_;
}

std::string Veil::over(std::string text) const {
  if (!covers_ || text.empty()) return text;
  const std::vector<std::string> pieces = pieces_of(text);
  std::string out;
  bool of_jobs = false;  // What comes may be the number of a job.
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    std::string word = pieces[i];
    const std::string tail = is_word_letter(word.front()) ? take_tail(word) : std::string();
    std::uint64_t id = 0;
    const bool number = is_number(word) && whole_number(word, id);
    if (number && of_jobs && !sees(JobId{id})) {
      // "job 7" becomes "a job of another user", whatever the word before.
      out += "(of another user)" + tail;
    } else if (!number && !word.empty() && names_of_others().contains(word)) {
      out += "another user" + tail;
    } else {
      out += word + tail;
    }
    if (number || (of_jobs && joins(pieces[i]))) continue;
    of_jobs = std::ranges::find(kJobWords, word) != kJobWords.end();
  }
  const auto replace = [&out](std::string_view from, std::string_view to) {
    for (std::size_t at = out.find(from); at != std::string::npos; at = out.find(from, at)) {
      out.replace(at, from.size(), to);
    }
  };
  replace("(of another user), (of another user)", "(of another user)");
  replace("(of another user) and (of another user)", "(of another user)");
  replace("jobs (of another user)", "jobs of other users");
  replace("job (of another user)", "a job of another user");
  replace("lease (of another user)", "a lease of another user");
  return out;
}

void Veil::hide_in(std::vector<std::uint64_t>& jobs) const {
  if (covers_) std::erase_if(jobs, [this](std::uint64_t id) { return !sees(JobId{id}); });
}

void Veil::hide_in(wire::WaitingReason& reason) const {
  if (!covers_) return;
  for (std::string* text : {&reason.message, &reason.helps, &reason.no_room}) {
    *text = over(std::move(*text));
  }
  hide_in(reason.jobs);
}

Reason Veil::over(Reason reason) const {
  if (!covers_) return reason;
  // For whom, and under which name, is theirs to know.
  if (reason.code == ReasonCode::kCardsReserved) reason.name = "the others are reserved";
  for (ForeignHolder& holder : reason.foreign) {
    if (sees_user(holder.user)) continue;
    holder.user.clear();
    holder.command.clear();
  }
  return reason;
}

std::optional<Error> Veil::refuses(const std::vector<Dependency>& after) const {
  for (const Dependency& dependency : after) {
    if (sees(dependency.job)) continue;
    return Error{ErrorCode::kNotFound,
                 "there is no job " + to_string(dependency.job) + " to wait for"};
  }
  return std::nullopt;
}

bool shows_group(const Veil& veil, const std::string& group) {
  const std::string_view owner = owner_of_group(group);
  return owner.empty() || veil.sees_user(owner);
}

std::vector<std::string> problems_for(const Context& context, const Principal& actor) {
  std::vector<std::string> all = problems_of(context);
  const Veil veil(context, actor);
  if (!veil.covers()) return all;
  // Places are for administrators, and have numbers of jobs in them.
  std::erase_if(all, [](const std::string& one) {
    return one.find('/') != std::string::npos || one.find("taken over") != std::string::npos;
  });
  for (std::string& one : all) one = veil.over(std::move(one));
  return all;
}

}  // namespace gpusched
