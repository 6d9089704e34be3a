// For tests: the API of a daemon with simulated cards, without its names, so that tests of the
// public header can use it.
#pragma once

#include <memory>
#include <string>

namespace gpusched::library {

class TestService {
 public:
  explicit TestService(int cards);
  ~TestService();
  const std::string& socket() const;
  int clients() const;  // Connections that are open now.

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace gpusched::library
