#include "tests/support/scheduler_service.h"

#include "api/test_daemon.h"

namespace gpusched::library {

struct TestService::Inside {
  explicit Inside(int cards) : daemon(options_of(cards)) {}
  static testing::TestDaemon::Options options_of(int cards) {
    testing::TestDaemon::Options options;
    options.cards = cards;
    return options;
  }
  testing::TestDaemon daemon;
};

TestService::TestService(int cards) : inside_(std::make_unique<Inside>(cards)) {}
TestService::~TestService() = default;
const std::string& TestService::socket() const { return inside_->daemon.socket(); }
int TestService::clients() const { return inside_->daemon.clients(); }

}  // namespace gpusched::library
