#include "gpu/card_search.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <utility>

namespace gpusched {

CardSearch::CardSearch(boost::asio::io_context& loop, SamplerProcess::Options options,
                       std::function<bool()> needed)
    : loop_(loop), options_(std::move(options)), needed_(std::move(needed)), timer_(loop) {}

void CardSearch::later(std::chrono::milliseconds pause, std::function<void(const Found&)> tell) {
  tell_ = std::move(tell);
  if (process_) return;
  timer_.expires_after(pause);
  timer_.async_wait([this, alive = std::weak_ptr<bool>(alive_)](const auto& cancelled) {
    if (!cancelled && alive.lock()) search();
  });
}

void CardSearch::stop() {
  timer_.cancel();
  process_.reset();
  tell_ = {};
}

void CardSearch::search() {
  if (!tell_) return;
  if (!needed_()) return finish();
  SamplerProcess::Handlers handlers;
  handlers.report = [this](const watch::Report& report) {
    const auto* cards = std::get_if<watch::CardsReport>(&report);
    if (cards == nullptr) return;
    for (const watch::NumberedCard& card : cards->cards) found_.push_back(card.identity.uuid);
  };
  handlers.ended = [this](int) {
    // Not from inside the process's own call.
    boost::asio::post(loop_, [this, alive = std::weak_ptr<bool>(alive_)] {
      if (alive.lock()) finish();
    });
  };
  handlers.complain = [](const std::string&) {};
  auto started = SamplerProcess::start(loop_, options_, std::move(handlers));
  if (!started) return finish();
  process_ = std::move(*started);
}

void CardSearch::finish() {
  process_.reset();
  const Found found = std::exchange(found_, {});
  if (const auto tell = std::exchange(tell_, {})) tell(found);
}

}  // namespace gpusched
