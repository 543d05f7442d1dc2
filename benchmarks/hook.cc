#include <sched.h>

#include <mutex>
#include <thread>
#include <vector>

#include "benchmarks/bench.h"
#include "benchmarks/micro.h"

// As the compilers call them.
extern "C" {
void __tsan_read4(void*);
void __tsan_write4(void*);
void __tsan_read8(void*);
void __tsan_write8(void*);
std::uint64_t __tsan_atomic64_load(const volatile std::uint64_t*, int);
std::uint64_t __tsan_atomic64_fetch_add(volatile std::uint64_t*, std::uint64_t, int);
}

namespace jostle_bench {
namespace {

constexpr int kAccesses = 1 << 20;

struct Loop {
  std::uint64_t* at;
  std::size_t words;
  bool write;
  int passes;
  bool synchronise;  // before every pass
};

template <void (*hook)(void*)>
void pass(const Loop& l) {
  for (std::size_t i = 0; i < l.words; ++i) hook(l.at + i);
}
template <void (*hook)(void*)>
void same(const Loop& l) {
  for (int i = 0; i < l.passes; ++i) hook(l.at);
}

void accesses(const Loop& l, std::mutex& m) {
  if (l.words == 1) return l.write ? same<&__tsan_write8>(l) : same<&__tsan_read8>(l);
  for (int i = 0; i < l.passes; ++i) {
    if (l.synchronise) m.lock(), m.unlock();
    l.write ? pass<&__tsan_write8>(l) : pass<&__tsan_read8>(l);
  }
}

// The two halves of each word, one after the other: an array of int.
template <void (*hook)(void*)>
void halves(const Loop& l, std::mutex&) {
  for (int i = 0; i < l.passes; ++i)
    for (std::size_t k = 0; k < l.words; ++k) hook(reinterpret_cast<char*>(l.at) + 4 * k);
}

void loads(const Loop& l, std::mutex&) {
  for (int i = 0; i < l.passes; ++i)
    for (std::size_t k = 0; k < l.words; ++k) __tsan_atomic64_load(l.at + k, __ATOMIC_ACQUIRE);
}
void increments(const Loop& l, std::mutex&) {
  for (int i = 0; i < l.passes; ++i) __tsan_atomic64_fetch_add(l.at, 1, __ATOMIC_SEQ_CST);
}

struct Job {
  Loop loop;
  void (*run)(const Loop&, std::mutex&);
};

// With another thread alive, but waiting: accesses are checked, and there is nothing to decide.
void with_waiting_thread(void* job) {
  const Job& j = *static_cast<Job*>(job);
  std::mutex m, own;
  m.lock();
  std::thread other([&] {
    m.lock();
    m.unlock();
  });
  while (sched_yield(),
         jostle::engine().scheduler().enabled(jostle::engine().scheduler().thread(1))) {
  }
  j.run(j.loop, own);
  m.unlock();
  other.join();
}

}  // namespace

bool run_hook(const Settings& s) {
  static Controlled& controlled = *new Controlled;
  static Stay stay;
  static std::vector<std::uint64_t> memory(1u << 20);  // 8 MiB
  Micro micro;
  static std::vector<Job> jobs;
  jobs.reserve(32);
  auto add = [&](const char* name, double limit, bool inside, const Loop& loop,
                 void (*run)(const Loop&, std::mutex&)) {
    jobs.push_back({loop, run});
    Job& j = jobs.back();
    micro.add(name, limit, [&j, inside] {
      const double start = seconds();
      std::mutex own;
      if (inside) {
        const jostle::Outcome& o = controlled.execute(stay, &with_waiting_thread, &j);
        if (o.failure.kind != jostle::FindingKind::none) {
          std::fprintf(stderr, "hook: %s\n", o.failure.message);
          std::abort();
        }
      } else {
        j.run(j.loop, own);
      }
      return Sample{seconds() - start, static_cast<double>(j.loop.words) * j.loop.passes};
    });
  };
  std::uint64_t* at = memory.data();
  constexpr std::size_t kSmall = 2048;  // 16 KiB
  constexpr int kAtomics = 5000;        // each is a step
  add("read8, one location", 5, true, {at, 1, false, kAccesses, false}, &accesses);
  add("write8, one location", 5, true, {at, 1, true, kAccesses, false}, &accesses);
  add("read8, array of 16 KiB", 5, true, {at, kSmall, false, kAccesses / kSmall, false}, &accesses);
  add("write8, array of 16 KiB", 5, true, {at, kSmall, true, kAccesses / kSmall, false}, &accesses);
  add("read4, array of 16 KiB", 5, true, {at, 2 * kSmall, false, kAccesses / kSmall / 2, false},
      &halves<&__tsan_read4>);
  add("write4, array of 16 KiB", 5, true, {at, 2 * kSmall, true, kAccesses / kSmall / 2, false},
      &halves<&__tsan_write4>);
  add("read8, array of 8 MiB", 0, true, {at, memory.size(), false, 4, false}, &accesses);
  add("write8, array of 8 MiB", 0, true, {at, memory.size(), true, 4, false}, &accesses);
  add("read8, array of 16 KiB, first time after a lock", 0, true, {at, kSmall, false, 512, true},
      &accesses);
  add("write8, array of 16 KiB, first time after a lock", 0, true, {at, kSmall, true, 512, true},
      &accesses);
  add("atomic load, nobody else can go on", 0, true, {at, kAtomics, false, 1, false}, &loads);
  add("atomic load of the same value again and again (a spin)", 0, true,
      {at, 1, false, kAtomics, false}, &loads);
  add("atomic fetch_add, nobody else can go on", 0, true, {at, 1, false, kAtomics, false},
      &increments);
  add("read8, outside of an execution", 5, false, {at, kSmall, false, kAccesses / kSmall, false},
      &accesses);
  add("write8, outside of an execution", 5, false, {at, kSmall, true, kAccesses / kSmall, false},
      &accesses);
  add("atomic load, outside of an execution", 0, false, {at, 1, false, kAccesses, false}, &loads);
  add("atomic fetch_add, outside of an execution", 0, false, {at, 1, false, kAccesses, false},
      &increments);
  return micro.run("one access: the call of the hook, in a loop", s.quick);
}

}  // namespace jostle_bench
