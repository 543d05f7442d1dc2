// A message and its attachment travel through two mailboxes; the receiver sees the message first.
#include <mutex>
#include <thread>

#include "tests/support/case.h"

namespace {

struct Mailbox {
  std::mutex m;
  int content = 0;
  void Put(int v) {
    std::lock_guard<std::mutex> lock(m);
    content = v;
  }
  int Get() {
    std::lock_guard<std::mutex> lock(m);
    return content;
  }
};

}  // namespace

JOSTLE_CASE("assertion") {
  Mailbox messages, attachments;
  std::thread sender([&] {
    messages.Put(1);
    attachments.Put(1);
  });
  std::thread receiver([&] {
    if (messages.Get() == 1) assert(attachments.Get() == 1);
  });
  sender.join();
  receiver.join();
}
