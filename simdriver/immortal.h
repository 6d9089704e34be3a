// A value that is made at first use and never destroyed: threads of other people's programs may
// still be in a call when the process ends. Not on the heap, so that a library which was closed
// again leaves nothing behind.
#pragma once

#include <new>

namespace gpusched::simdriver {

template <class T>
class Immortal {
 public:
  Immortal() : value_(new (bytes_) T) {}
  T& operator*() const { return *value_; }

 private:
  alignas(T) unsigned char bytes_[sizeof(T)];
  T* value_;
};

}  // namespace gpusched::simdriver
