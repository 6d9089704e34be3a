#include "api/kept_answers.h"

#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "base/sha256.h"
#include "http/target.h"

namespace gpusched {
namespace {

constexpr std::size_t kKeyMost = 255;
// A token with fewer rights does not see what one with more was told.
using KeptKey = std::pair<Role, std::string>;

}  // namespace

std::string request_digest(const HttpRequest& request) {
  Sha256 digest;
  digest.add_counted(request.method);
  digest.add_counted(target_text({request.segments, request.query}));
  digest.add_counted(request.body);
  return digest.hex();
}

struct KeptAnswers::Memory {
  struct Entry {
    std::string digest;
    std::optional<HttpResponse> answer = {};  // None: it is being done.
    Boot since{};
    std::vector<Responder> waiting = {};  // Who repeats it meanwhile.
  };

  struct User {
    std::map<KeptKey, Entry> by_key;
    std::deque<KeptKey> done;  // The oldest first.
    std::size_t bytes = 0;

    void forget_oldest() {
      const auto it = by_key.find(done.front());
      bytes -= it->second.answer->body.size();
      by_key.erase(it);
      done.pop_front();
    }
  };

  std::function<Now()> now;
  std::map<std::uint32_t, User> users;

  void forget_old(User& user) const {
    const Boot present = now().boot;
    while (!user.done.empty()) {
      const Entry& oldest = user.by_key.at(user.done.front());
      const bool fits = user.done.size() <= kMostOfUser && user.bytes <= kBytesOfUser;
      if (fits && present - oldest.since < kKept) return;
      user.forget_oldest();
    }
  }

  // What was refused was not done, and may be tried again with the same key. A stream is told to
  // the one who asked.
  static bool is_kept(const HttpResponse& response) {
    return !response.stream && response.status < 300 && response.body.size() <= kBytesOfUser;
  }

  void answered(std::uint32_t account, const KeptKey& key, const HttpResponse& response) {
    User& user = users[account];
    Entry& entry = user.by_key.at(key);
    const std::vector<Responder> waiting = std::exchange(entry.waiting, {});
    if (is_kept(response)) {
      entry.answer = response;
      entry.since = now().boot;
      user.bytes += response.body.size();
      user.done.push_back(key);
      forget_old(user);
    } else {
      drop(account, key);
    }
    for (const Responder& also : waiting) {
      if (response.stream) {
        also.fail({ErrorCode::kBusy, "the first request with this key is not over; try again"});
      } else {
        also.send(response);
      }
    }
  }

  void drop(std::uint32_t account, const KeptKey& key) {
    const auto user = users.find(account);
    user->second.by_key.erase(key);
    if (user->second.by_key.empty()) users.erase(user);
  }
};

// Goes with the request. When the last that could answer it is gone without an answer, the request
// is forgotten, so that a repeat is done.
struct KeptAnswers::Ticket {
  Ticket(std::weak_ptr<Memory> memory, std::uint32_t account, KeptKey key)
      : memory_(std::move(memory)), account_(account), key_(std::move(key)) {}
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;
  ~Ticket() {
    const auto memory = memory_.lock();
    if (memory == nullptr || answered_) return;
    memory->answered(account_, key_,
                     error_response({ErrorCode::kBusy,
                                     "the first request with this key was given "
                                     "up; try again"}));
  }

  void answered(const HttpResponse& response) {
    const auto memory = memory_.lock();
    if (memory == nullptr || std::exchange(answered_, true)) return;
    memory->answered(account_, key_, response);
  }

 private:
  std::weak_ptr<Memory> memory_;
  std::uint32_t account_;
  KeptKey key_;
  bool answered_ = false;
};

KeptAnswers::KeptAnswers(std::function<Now()> now)
    : memory_(std::make_shared<Memory>(Memory{std::move(now), {}})) {}
KeptAnswers::~KeptAnswers() = default;

std::optional<Responder> KeptAnswers::begin(const Principal& actor, const std::string& key,
                                            const HttpRequest& request,
                                            const Responder& responder) {
  Memory::User& user = memory_->users[actor.account()];
  memory_->forget_old(user);
  const KeptKey whose{actor.role, key};
  const auto [it, is_new] = user.by_key.try_emplace(whose, Memory::Entry{request_digest(request)});
  Memory::Entry& entry = it->second;
  if (is_new) {
    auto ticket = std::make_shared<Ticket>(memory_, actor.account(), whose);
    return responder.watched(
        [ticket](const HttpResponse& response) { ticket->answered(response); });
  }
  if (entry.digest != request_digest(request)) {
    responder.fail({ErrorCode::kConflict,
                    "this Idempotency-Key was used for another request; take a new one"});
  } else if (!entry.answer) {
    entry.waiting.push_back(responder);
  } else {
    HttpResponse again = *entry.answer;
    again.headers.emplace_back("Idempotency-Replayed", "true");
    responder.send(std::move(again));
  }
  return std::nullopt;
}

Result<std::string> idempotency_key(const HttpRequest& request) {
  const auto it = request.headers.find("idempotency-key");
  if (it == request.headers.end()) return std::string();
  const std::string& key = it->second;
  const bool control = key.find_first_of(std::string_view("\t\x7f", 2)) != std::string::npos;
  if (key.empty() || key.size() > kKeyMost || control) {
    return failure(ErrorCode::kInvalid,
                   "Idempotency-Key must have 1 to 255 bytes without control characters");
  }
  return key;
}

}  // namespace gpusched
