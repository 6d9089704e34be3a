#include "gpu/simulated_cards.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "engine/card_description.h"

namespace gpusched {
namespace {

class SimulatedCards : public GpuBackend {
 public:
  SimulatedCards(boost::asio::io_context& loop, std::vector<Card> cards)
      : loop_(loop), cards_(std::move(cards)) {}

  void find_cards(std::function<void(Result<CardsFound>)> done) override {
    boost::asio::post(
        loop_, [found = CardsFound{cards_, "simulated"}, done = std::move(done)] { done(found); });
  }

 private:
  boost::asio::io_context& loop_;
  std::vector<Card> cards_;
};

}  // namespace

Result<std::unique_ptr<GpuBackend>> make_simulated_cards(boost::asio::io_context& loop,
                                                         const std::string& text) {
  auto cards = parse_simulated_cards(text);
  if (!cards) return failure(cards.error());
  return std::make_unique<SimulatedCards>(loop, std::move(*cards));
}

}  // namespace gpusched
