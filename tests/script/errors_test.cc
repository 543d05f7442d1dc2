// What is wrong with a script is said with its line, the state of every thread, and what would have
// been accepted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <jostle/script.hpp>
#include <stdexcept>
#include <thread>

using namespace jostle::scripting;
using testing::HasSubstr;

namespace {

const jostle::Options kQuiet = {.races = false, .quiet = true};

int counter;
[[gnu::noinline]] void increment() { ++counter; }
inline void increment_inlined() { counter += 2; }

void body() {
  std::thread t([] {
    increment();
    increment_inlined();
  });
  t.join();
}

std::string line(int n) { return "errors_test.cc:" + std::to_string(n); }

TEST(Errors, NeverProceeds) {
  int at = 0;
  const jostle::Result r = jostle::script(
      body,
      [&] {
        const Tid t = wait_for_thread(any, enters("increment"));
        (void)t;
        at = __LINE__ + 1;
        wait_for_thread(any - t, writes("counter"));
      },
      kQuiet);
  EXPECT_FALSE(r.ok());
  EXPECT_EQ(r.unsatisfied, 1u);
  EXPECT_THAT(r.error, HasSubstr(line(at) + ": the script cannot go on"));
  EXPECT_THAT(r.error, HasSubstr("T0 has to wait: join thread"));
  EXPECT_THAT(r.error, HasSubstr("T1 is held by the script before: enter function"));
  EXPECT_THAT(r.error, HasSubstr("accepted: a write of `(anonymous namespace)::counter`, by any "
                                 "thread but T1"));
}

TEST(Errors, WaitsForAThreadThatEnded) {
  int at = 0;
  const jostle::Result r = jostle::script(
      body,
      [&] {
        const Tid t = wait_for_thread(any, starts);
        run_until(t, ends);
        at = __LINE__ + 1;
        run_until(t, writes("counter"));
      },
      kQuiet);
  EXPECT_THAT(r.error, HasSubstr(line(at) + ": the script cannot go on"));
  EXPECT_THAT(r.error, HasSubstr("T1 has ended"));
  EXPECT_THAT(r.error, HasSubstr("accepted: a write of"));
}

TEST(Errors, UnknownFunction) {
  int at = 0;
  const jostle::Result r = jostle::script(
      body,
      [&] {
        at = __LINE__ + 1;
        wait_for_thread(any, enters("incremnet"));
      },
      kQuiet);
  EXPECT_THAT(r.error, HasSubstr(line(at) + ": there is no function 'incremnet'"));
  EXPECT_THAT(r.error, HasSubstr("increment'"));
  EXPECT_THAT(r.error, HasSubstr("T0 can go on, before: thread starts"));
}

TEST(Errors, FunctionThatWasInlinedEverywhere) {
  const jostle::Result r =
      jostle::script(body, [] { wait_for_thread(any, enters("increment_inlined")); }, kQuiet);
#ifdef __OPTIMIZE__
  EXPECT_THAT(r.error, HasSubstr("'increment_inlined' was inlined everywhere"));
  EXPECT_THAT(r.error, HasSubstr("noinline"));
#endif
}

TEST(Errors, UnknownVariable) {
  const jostle::Result r =
      jostle::script(body, [] { wait_for_thread(any, writes("countre")); }, kQuiet);
  EXPECT_THAT(r.error, HasSubstr("there is no global variable 'countre'"));
  EXPECT_THAT(r.error, HasSubstr("counter'"));
}

TEST(Errors, ReleasesWhatWasNotSelected) {
  int at = 0;
  const jostle::Result r = jostle::script(
      body,
      [&] {
        wait_for_thread(any, starts);
        at = __LINE__ + 1;
        release(Tid(0));
      },
      kQuiet);
  EXPECT_THAT(r.error,
              HasSubstr(line(at) + ": T0 is released, but the script has not selected it"));
  EXPECT_THAT(r.error, HasSubstr("T1 is held by the script before: thread starts"));
}

TEST(Errors, ReleasesAThreadThatDoesNotExist) {
  const jostle::Result r = jostle::script(body, [&] { release(Tid(9)); }, kQuiet);
  EXPECT_THAT(r.error, HasSubstr("errors_test.cc:" + std::to_string(__LINE__ - 1) +
                                 ": T9 is released, but there is no such thread"));
}

TEST(Errors, NoRegularExpression) {
  const jostle::Result r =
      jostle::script(body, [&] { wait_for_thread(any, enters("/increment(/")); }, kQuiet);
  EXPECT_THAT(r.error, HasSubstr("errors_test.cc:" + std::to_string(__LINE__ - 1) +
                                 ": '/increment(/' is no regular expression"));
}

TEST(Errors, NothingToChooseFrom) {
  const jostle::Result r = jostle::script(body, [&] { choose_below(0); }, kQuiet);
  EXPECT_THAT(r.error, HasSubstr("errors_test.cc:" + std::to_string(__LINE__ - 1) +
                                 ": there is nothing to choose from"));
}

TEST(Errors, Throws) {
  int at = 0;
  const jostle::Result r = jostle::script(
      body,
      [&] {
        at = __LINE__ + 1;
        wait_for_thread(any, enters("increment"));
        throw std::runtime_error("no idea");
      },
      kQuiet);
  EXPECT_THAT(r.error, HasSubstr("the script threw an exception: no idea"));
  EXPECT_THAT(r.error, HasSubstr("the last line that waited: " + line(at)));
  EXPECT_THAT(r.error, HasSubstr("T1 is held by the script before: enter function"));
}

TEST(Errors, NoThreadIsLeftToChoose) {
  const jostle::Result r = jostle::script(
      body,
      [] {
        const Tid t = wait_for_thread(any, starts);
        run_until(t, ends);
        choose_thread(t);
      },
      kQuiet);
  EXPECT_THAT(r.error, HasSubstr("there is no thread left to choose"));
}

TEST(Errors, UnknownStrategy) {
  const jostle::Result r = jostle::script(body, [] { others("pctt"); }, kQuiet);
  EXPECT_THAT(r.error, HasSubstr("'pctt' is no strategy"));
}

TEST(Errors, ForScriptsOnly) { EXPECT_THROW(release(Tid(1)), std::logic_error); }

TEST(Errors, OptionsThatScriptsDoNotHave) {
  jostle::Options o = kQuiet;
  o.jobs = 2;
  EXPECT_THAT(jostle::script(body, [] {}, o).error, HasSubstr("jobs=1"));
}

}  // namespace
