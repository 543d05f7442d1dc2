// A pipe with one byte in it is a lock. Reading and writing are two critical sections: an update is
// lost, without a race.
#include <unistd.h>

#include <thread>

#include "tests/support/case.h"

namespace {

class Token {
 public:
  Token() {
    assert(pipe(ends_) == 0);
    put();
  }
  ~Token() {
    close(ends_[0]);
    close(ends_[1]);
  }
  void take() {
    char byte = 0;
    assert(read(ends_[0], &byte, 1) == 1);
  }
  void put() { assert(write(ends_[1], "x", 1) == 1); }

 private:
  int ends_[2];
};

}  // namespace

JOSTLE_CASE("assertion") {
  Token token;
  int count = 0;
  auto increment = [&] {
    token.take();
    const int seen = count;
    token.put();
    token.take();
    count = seen + 1;
    token.put();
  };
  std::thread t(increment);
  increment();
  t.join();
  assert(count == 2);
}
