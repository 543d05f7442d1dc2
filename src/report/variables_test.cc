#include "report/variables.h"

#include <gtest/gtest.h>
#include <time.h>
#include <unwind.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>

#include "base/rng.h"
#include "report/symbols.h"

namespace variables_test_user {
namespace {

using jostle::Address;
using jostle::StackFrame;

struct Walk {
  int skip;
  bool next;
  StackFrame frame;
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* arg) {
  auto& w = *static_cast<Walk*>(arg);
  if (w.next) {
    w.frame.cfa = _Unwind_GetCFA(context);
    return _URC_END_OF_STACK;
  }
  if (w.skip-- > 0) return _URC_NO_REASON;
  w.next = true;
  w.frame = {_Unwind_GetIP(context), 0, _Unwind_GetCFA(context), _Unwind_GetGR(context, 6), 0, 0};
  return _URC_NO_REASON;
}

// The frame of whoever calls.
__attribute__((noinline)) StackFrame this_call() {
  Walk w{1, false, {}};
  _Unwind_Backtrace(&step, &w);
  asm volatile("" ::: "memory");
  return w.frame;
}

jostle::report::ProcessVariables& variables() {
  static jostle::report::ProcessVariables v;
  return v;
}

// Keeps an object in memory, and answers with what it is called.
template <class T>
std::string name_in(const StackFrame& call, T& object) {
  asm volatile("" ::"r"(&object) : "memory");
  const auto v =
      variables().on_stack(call, reinterpret_cast<Address>(std::addressof(object)), sizeof(T));
  return v.name + v.path;
}

struct Item {
  int count;
  long total;
};
struct Base {
  int id = 0;
};
struct Empty {};
struct Account : Base, Empty {
  virtual ~Account() = default;
  std::mutex lock;
  Item items[4] = {};
  std::pair<int, int> range;
  std::array<int, 5> array{};
  std::atomic<int> hits{0};
  union {
    int number;
    unsigned bits;
  };
  const Item* const next = nullptr;
  int grid[2][3] = {};
  std::string text;
};

struct Plain {
  int a[20];
  int last;
};

Account g_accounts[3];
std::pair<int, Item> g_pair;

__attribute__((noinline)) std::string by_value(Plain big) {
  const StackFrame call = this_call();
  StackFrame caller;
  caller.sp = call.cfa;
  caller.callee_pc = call.pc;
  caller.callee_bp = call.bp;
  return name_in(caller, big.last);
}
__attribute__((noinline)) std::string parameter(int p) { return name_in(this_call(), p); }

__attribute__((always_inline)) inline std::string inlined() {
  int deep = 0;
  return name_in(this_call(), deep);
}

__attribute__((noinline)) void recursive(int depth, std::pair<StackFrame, int*> outer) {
  int mine = depth;
  asm volatile("" ::"r"(&mine) : "memory");
  const StackFrame call = this_call();
  if (depth > 0) return recursive(depth - 1, {call, &mine});
  const auto at = [](int* p) { return reinterpret_cast<Address>(p); };
  EXPECT_EQ(variables().on_stack(call, at(&mine), 4).start, at(&mine));
  EXPECT_EQ(variables().on_stack(outer.first, at(outer.second), 4).start, at(outer.second));
  EXPECT_EQ(variables().on_stack(outer.first, at(outer.second), 4).name, "mine");
  EXPECT_EQ(variables().on_stack(call, at(outer.second), 4).name, "") << "another call's";
}

class Locals : public testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "gcc does not say where AddressSanitizer has put them";
#endif
  }
};

TEST_F(Locals, WithMembersAndElements) {
  Account account;
  int balance = 0, table[8] = {};
  const StackFrame call = this_call();
  EXPECT_EQ(name_in(call, balance), "balance");
  EXPECT_EQ(name_in(call, table), "table");
  EXPECT_EQ(name_in(call, table[3]), "table[3]");
  EXPECT_EQ(name_in(call, account), "account");
  EXPECT_EQ(name_in(call, account.id), "account.id");
  EXPECT_EQ(name_in(call, account.items[2].total), "account.items[2].total");
  EXPECT_EQ(name_in(call, account.items[2]), "account.items[2]");
  EXPECT_EQ(name_in(call, account.next), "account.next");
  EXPECT_EQ(name_in(call, account.grid[1][2]), "account.grid[1][2]");
}

TEST_F(Locals, TheLibrarysInsidesAreNotTold) {
  Account account;
  std::atomic<long> counter{0};
  std::mutex mutex;
  const StackFrame call = this_call();
  EXPECT_EQ(name_in(call, counter), "counter");
  EXPECT_EQ(name_in(call, mutex), "mutex");
  EXPECT_EQ(name_in(call, reinterpret_cast<int*>(&mutex)[4]), "mutex");
  EXPECT_EQ(name_in(call, *account.lock.native_handle()), "account.lock");
  EXPECT_EQ(name_in(call, reinterpret_cast<int&>(account.hits)), "account.hits");
  EXPECT_EQ(name_in(call, reinterpret_cast<char*>(&account.text)[9]), "account.text");
  EXPECT_EQ(name_in(call, reinterpret_cast<void*&>(account)), "account") << "its vtable";
  // But for what has a name of its own.
  EXPECT_EQ(name_in(call, account.range.second), "account.range.second");
  EXPECT_EQ(name_in(call, account.array[3]), "account.array[3]");
}

TEST_F(Locals, OfAUnionNobodyKnowsWhich) {
  Account account;
  EXPECT_EQ(name_in(this_call(), account.number), "account");
}

TEST_F(Locals, Captured) {
  int seen = 0;
  auto closure = [seen]() mutable { return ++seen; };
  const StackFrame call = this_call();
  EXPECT_EQ(name_in(call, reinterpret_cast<int&>(closure)), "closure.seen");
}

TEST_F(Locals, Scopes) {
  EXPECT_EQ(parameter(3), "p");
  EXPECT_EQ(inlined(), "deep");
  for (int i = 0; i < 2; ++i) {
    if (i == 0) {
      int first = 0;
      EXPECT_EQ(name_in(this_call(), first), "first");
    } else {
      int second = 0;
      EXPECT_EQ(name_in(this_call(), second), "second");
    }
  }
}

TEST_F(Locals, ArgumentsOnTheStackLieInTheCallersFrame) { EXPECT_EQ(by_value({}), "big.last"); }

TEST_F(Locals, EachCallHasItsOwn) { recursive(3, {}); }

TEST(Variables, Static) {
  const auto member = [](auto& start, auto& object) {
    const auto from = reinterpret_cast<Address>(&start);
    return variables().member(from, reinterpret_cast<Address>(&object) - from, sizeof object);
  };
  EXPECT_EQ(member(g_accounts, g_accounts[1].items[3].count), "[1].items[3].count");
  EXPECT_EQ(member(g_accounts, g_accounts[2].lock), "[2].lock");
  EXPECT_EQ(member(g_pair, g_pair), "");
  EXPECT_EQ(member(g_pair, g_pair.second.total), ".second.total");
  EXPECT_EQ(variables().member(16, 8, 4), "+8") << "no such variable";
}

TEST(Variables, MissesAreQuiet) {
  int local = 0;
  const auto at = reinterpret_cast<Address>(&local);
  EXPECT_EQ(variables().on_stack({}, at, 4).name, "");
  StackFrame call = this_call();
  EXPECT_EQ(variables().on_stack(call, 16, 4).name, "");
  EXPECT_EQ(variables().on_stack(call, ~0ull, 4).name, "");
  call.pc = 8;
  EXPECT_EQ(variables().on_stack(call, at, 4).name, "");
  for (const char* file : {"/nowhere", "/proc/self/status", "/"}) {
    jostle::report::VariableTable table(file);
    EXPECT_EQ(table.on_stack(call, at, 4).name, "");
    EXPECT_EQ(table.member(0, 8, 4), "+8");
  }
}

double thread_seconds() {
  timespec t = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// A trace asks of few places very often. The first question at a place reads what is said of it.
TEST_F(Locals, OfOnePlaceAreReadOnce) {
  int local = 0;
  const StackFrame warm = this_call();
  EXPECT_EQ(name_in(warm, local), "local");
  const StackFrame call = this_call();
  const double start = thread_seconds();
  EXPECT_EQ(variables().on_stack(call, 16, 4).name, "");
  const double first = thread_seconds() - start;
  constexpr int kMore = 1000;
  for (int i = 0; i < kMore; ++i) variables().on_stack(call, 16, 4);
  EXPECT_LT(thread_seconds() - start - first, first * kMore / 3);
  EXPECT_EQ(name_in(call, local), "local");
}

TEST(Variables, DamagedFilesAreSurvived) {
  std::ifstream in("/proc/self/exe", std::ios::binary);
  std::stringstream content;
  content << in.rdbuf();
  const std::string whole = content.str();
  const std::string path = testing::TempDir() + "/jostle_variables_test";
  jostle::Rng rng(5);
  for (int round = 0; round < 8; ++round) {
    std::string bad = whole;
    // The headers at both ends are spared so that sections are found; damage is light in some
    // rounds so that much can be read.
    for (std::size_t i = 0; i < bad.size() >> (6 + 2 * (round % 4)); ++i)
      bad[4096 + rng.below64(bad.size() - 16384)] = static_cast<char>(rng.next());
    std::ofstream(path, std::ios::binary) << (round == 7 ? bad.substr(0, bad.size() / 2) : bad);
    jostle::report::VariableTable table(path);
    for (int i = 0; i < 50; ++i) {
      StackFrame call{rng.below64(whole.size()), 4096, 1024, 2048, 0, 0};
      table.on_stack(call, 1024 + rng.below64(3072), 4);
      table.member(rng.below64(whole.size()), rng.below64(100), 4);
    }
    jostle::report::ObjectCode code(path);
    std::vector<jostle::report::Frame> frames;
    for (int i = 0; i < 50; ++i) {
      jostle::report::ObjectCode::Symbol symbol;
      code.symbol(rng.below64(whole.size()), symbol);
      code.frames(rng.below64(whole.size()), frames);
    }
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace variables_test_user
