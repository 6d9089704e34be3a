#include "cli/completion/candidates.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "cli/jobs/selectors.h"
#include "cli/verb.h"

namespace gpusched::cli {
namespace {

void add_words(Completion& out, std::string_view words) {
  for (const std::string_view word : split_nonempty(words, ' ')) {
    out.words.push_back({std::string(word), ""});
  }
}

void add_jobs(Completion& out, std::vector<Candidate> jobs) {
  out.words = std::move(jobs);
  out.words.push_back({"last", "the newest of one's own jobs"});
}

void add_offer(Completion& out, Offer offer, std::string_view words, const LiveWords& live) {
  switch (offer) {
    case Offer::kNothing:
      break;
    case Offer::kFiles:
      out.files = true;
      break;
    case Offer::kJobs:
      add_jobs(out, live.jobs());
      break;
    case Offer::kOpenJobs:
      add_jobs(out, live.open_jobs());
      break;
    case Offer::kCards:
      out.words = live.cards();
      break;
    case Offer::kGroups:
      out.words = live.groups();
      break;
    case Offer::kStates:
      for (const std::string_view state : kStates) out.words.push_back({std::string(state), ""});
      break;
    case Offer::kTokens:
      out.words = live.tokens();
      break;
    case Offer::kAlerts:
      add_words(out, words);
      break;
    case Offer::kRules:
      out.words = live.rules();
      break;
    case Offer::kReceivers:
      out.words = live.receivers();
      break;
    case Offer::kWords:
      add_words(out, words);
      break;
  }
}

void add_flags(Completion& out, const Verb& verb) {
  for (const FlagSection& section : verb.sections) {
    for (const Flag& flag : section.flags) {
      out.words.push_back({std::string(flag.name), std::string(flag.help)});
    }
  }
}

void add_operands(Completion& out, const Verb& verb, const LiveWords& live) {
  if (verb.offer != Offer::kNothing) return add_offer(out, verb.offer, verb.words, live);
  switch (verb.operands) {
    case Operands::kNone:
      break;
    case Operands::kWords:
      add_words(out, verb.words);
      out.files = verb.words.empty();
      break;
    case Operands::kJobs:
    case Operands::kJobsThenCommand:
      add_jobs(out, live.jobs());
      break;
    case Operands::kCommand:
      out.files = true;
      break;
  }
}

// What stands behind the word that says what is done.
void add_behind(Completion& out, const Verb& verb, std::string_view word, const LiveWords& live) {
  if (word == verb.name) return add_words(out, verb.words);
  if (word == "test") return add_offer(out, Offer::kReceivers, {}, live);
  if (word == "unsilence") {
    out.words = live.silences();
  } else if (word == "silence") {
    out.words = live.rules();
    out.words.push_back({"all", "every rule"});
  }
}

void keep_prefix(Completion& out, std::string_view prefix) {
  std::erase_if(out.words, [prefix](const Candidate& c) { return !c.word.starts_with(prefix); });
}

}  // namespace

Completion complete(std::span<const std::string> words, const LiveWords& live) {
  Completion out;
  if (words.empty()) return out;
  const std::string& current = words.back();
  if (words.size() == 1) {
    for (const Verb* verb : all_verbs()) {
      if (!verb->hidden) out.words.push_back({std::string(verb->name), std::string(verb->summary)});
    }
    keep_prefix(out, current);
    return out;
  }
  const Verb* verb = find_verb(words[0]);
  if (verb == nullptr) return out;
  // Past the "--" of a command the shell knows better.
  if (std::ranges::find(words.first(words.size() - 1), "--") != words.end() - 1) {
    out.files = true;
    return out;
  }
  const Flag* before = find_flag(verb->sections, words[words.size() - 2]);
  if (before != nullptr && before->kind == FlagKind::kValue) {
    add_offer(out, before->offer, before->words, live);
  } else if (current.starts_with("-")) {
    add_flags(out, *verb);
  } else if (verb->offer == Offer::kAlerts) {
    add_behind(out, *verb, words[words.size() - 2], live);
  } else if (verb->offer == Offer::kTokens && words[words.size() - 2] != "revoke") {
    add_words(out, verb->words);
  } else {
    add_operands(out, *verb, live);
  }
  keep_prefix(out, current);
  return out;
}

}  // namespace gpusched::cli
