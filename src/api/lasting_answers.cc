#include "api/lasting_answers.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace gpusched {
namespace {

// Those that are over are forgotten when there are twice as many as were left the last time.
constexpr std::size_t kTidyLeast = 64;
// So often accounts are asked for again, and the clock is read: somebody may have set it.
constexpr Seconds kLookEvery{60};

}  // namespace

LastingAnswers::LastingAnswers(boost::asio::io_context& loop, Ports ports)
    : ports_(std::move(ports)), tidy_at_(kTidyLeast), timer_(loop) {}
LastingAnswers::~LastingAnswers() = default;

void LastingAnswers::add(const Principal& who, const Responder& responder) {
  responder.lasts();
  if (!who.is_by_token() && who.proof != Proof::kPeer) return;
  if (answers_.size() >= tidy_at_) {
    forget_gone();
    tidy_at_ = std::max(kTidyLeast, 2 * answers_.size());
  }
  answers_.push_back({who, responder});
  wait();
}

void LastingAnswers::forget_gone() {
  std::erase_if(answers_, [](const Answer& answer) { return !answer.responder.is_open(); });
}

// One timer for all of them: the next token that expires, or the next look at accounts.
void LastingAnswers::wait() {
  const Wall now = ports_.now().wall;
  Microseconds next = kLookEvery;
  for (const Answer& answer : answers_) {
    const Token* token = ports_.token(answer.who.token);
    if (token == nullptr || !token->expires_at) continue;
    next = std::min(next, std::max(Microseconds{0}, *token->expires_at - now));
  }
  timer_.expires_after(next);
  timer_.async_wait([this, lives = std::weak_ptr(lives_)](boost::system::error_code error) {
    if (!error && !lives.expired()) look_closely();
  });
}

void LastingAnswers::look() {
  const Wall now = ports_.now().wall;
  std::vector<std::pair<Responder, Error>> over;  // Ending one may call back here.
  for (const Answer& answer : answers_) {
    if (!answer.who.is_by_token()) continue;
    const Token* token = ports_.token(answer.who.token);
    const char* why = token == nullptr      ? "the token was revoked"
                      : token->expired(now) ? "the token has expired"
                                            : nullptr;
    if (why == nullptr && !answer.who.login.empty() &&
        ports_.logins->find(answer.who.login, now) == nullptr) {
      why = "the login has ended";
    }
    if (why != nullptr)
      over.emplace_back(answer.responder, Error{ErrorCode::kUnauthenticated, why});
  }
  if (over.empty()) return;
  for (const auto& [responder, why] : over) responder.end(why);
  forget_gone();
}

void LastingAnswers::look_closely() {
  forget_gone();
  if (answers_.empty()) return;
  const std::vector<Answer> answers = answers_;
  for (const Answer& answer : answers) {
    ports_.ask_again(answer.who, [answer](const Result<Principal>& who) {
      if (who && who->role >= answer.who.role) return;
      if (who) {
        return answer.responder.end(
            {ErrorCode::kForbidden, "your role is lower than it was when this began"});
      }
      const ErrorCode code = who.error().code;
      if (code == ErrorCode::kUnauthenticated || code == ErrorCode::kForbidden) {
        answer.responder.end(who.error());
      }
    });
  }
  wait();
}

}  // namespace gpusched
