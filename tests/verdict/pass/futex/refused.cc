// What the kernel refuses: limits that are no time, addresses that are no futex's or nobody's,
// masks without a bit, operations that do not exist.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <initializer_list>

#include "tests/support/case.h"

template <class... A>
static bool fails(int error, A... arguments) {
  errno = 0;
  return syscall(SYS_futex, arguments...) == -1 && errno == error;
}

JOSTLE_CASE("pass") {
  alignas(8) int word[2] = {0, 0};
  char* const odd = reinterpret_cast<char*>(word) + 1;
  const auto nobodys = reinterpret_cast<int*>(8), beyond = reinterpret_cast<int*>(1ul << 62);
  const timespec soon = {0, 1}, too_many = {0, 1'000'000'000}, below = {0, -1}, before = {-1, 0};
  for (const timespec* wrong : {&too_many, &below, &before}) {
    assert(fails(EINVAL, word, FUTEX_WAIT, 0, wrong, nullptr, 0));
    assert(fails(EINVAL, word, FUTEX_WAIT_PRIVATE, 1, wrong, nullptr, 0));
    assert(fails(EINVAL, word, FUTEX_WAIT_BITSET, 0, wrong, nullptr, -1));
  }
  assert(fails(EINVAL, odd, FUTEX_WAIT, 0, &soon, nullptr, 0));
  assert(fails(EINVAL, odd, FUTEX_WAKE, 1, nullptr, nullptr, 0));
  assert(fails(EINVAL, word, FUTEX_REQUEUE, 1, 1l, odd, 0));
  assert(fails(EINVAL, word, FUTEX_WAKE_OP, 1, 1l, odd, 0));
  for (int* wrong : {nobodys, beyond}) {
    assert(fails(EFAULT, wrong, FUTEX_WAIT, 0, nullptr, nullptr, 0));
    assert(fails(EFAULT, wrong, FUTEX_WAIT_PRIVATE, 0, &soon, nullptr, 0));
    assert(fails(EFAULT, wrong, FUTEX_WAKE, 1, nullptr, nullptr, 0));
    assert(fails(EFAULT, wrong, FUTEX_CMP_REQUEUE, 1, 1l, word, 0));
    assert(fails(EFAULT, word, FUTEX_WAKE_OP, 1, 1l, wrong, 0));
  }
  assert(fails(EFAULT, word, FUTEX_WAIT, 0, nobodys, nullptr, 0));
  assert(fails(EINVAL, word, FUTEX_WAIT_BITSET, 0, nullptr, nullptr, 0));
  assert(fails(EINVAL, word, FUTEX_WAKE_BITSET, 1, nullptr, nullptr, 0));
  assert(fails(ENOSYS, word, FUTEX_WAIT | FUTEX_CLOCK_REALTIME, 0, &soon, nullptr, 0));
  assert(fails(EAGAIN, word, FUTEX_CMP_REQUEUE, 1, 1l, word + 1, 7));
}
