// Jostle in GoogleTest.
//
//     JOSTLE_TEST(Suite, Name) { body }              TEST whose body is explored
//     JOSTLE_TEST_F(Fixture, Name) { body }          the fixture is rebuilt for each execution
//     JOSTLE_TEST_P(Fixture, Name) { body }          the same with GetParam()
//     JOSTLE_TEST_WITH(Suite, Name, (options)) {...} e.g. ({.executions = 500})
//
// EXPECT and ASSERT on any thread of the body, GTEST_SKIP, and assert() work as usual: the first
// failure ends the execution and is the finding. Only include this header; there is nothing to
// call.
#pragma once

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <jostle/jostle.hpp>

namespace jostle::gtest {

// What GTEST_SKIP has said, if the body was executed in this process.
struct Skipped {
  char file[256] = "", message[512] = "";
  int line = 0;
};
inline Skipped skipped_at;

// Receives the results of checks made by the body; the others go where they went.
class Reporter final : public testing::ScopedFakeTestPartResultReporter {
 public:
  explicit Reporter(testing::TestPartResultArray* array)
      : ScopedFakeTestPartResultReporter(INTERCEPT_ALL_THREADS, array) {}
  void ReportTestPartResult(const testing::TestPartResult& r) override {
    if (r.failed())
      report_failure(r.file_name(),
                     static_cast<unsigned>(r.line_number() < 0 ? 0 : r.line_number()), r.message());
    if (is_controlled()) {
      if (r.skipped()) {
        std::snprintf(skipped_at.file, sizeof skipped_at.file, "%s",
                      r.file_name() ? r.file_name() : "");
        std::snprintf(skipped_at.message, sizeof skipped_at.message, "%s", r.message());
        skipped_at.line = r.line_number();
        report_skip();
      }
      return;
    }
    ScopedFakeTestPartResultReporter::ReportTestPartResult(r);
  }
};

struct Session {
  testing::TestPartResultArray results;
  Reporter reporter{&results};
};

inline void* begin() { return new Session; }
inline void end(void* token) {
  auto* s = static_cast<Session*>(token);
  testing::TestPartResultArray kept;
  for (int i = 0; i < s->results.size(); ++i) kept.Append(s->results.GetTestPartResult(i));
  delete s;  // from here on results go to GoogleTest again
  for (int i = 0; i < kept.size(); ++i) {
    const testing::TestPartResult& r = kept.GetTestPartResult(i);
    if (r.failed()) ADD_FAILURE_AT(r.file_name(), r.line_number()) << r.message();
  }
}
inline std::string test_name() {
  const testing::TestInfo* i = testing::UnitTest::GetInstance()->current_test_info();
  return i ? std::string(i->test_suite_name()) + "." + i->name() : std::string();
}
inline std::string rerun_argument(const std::string& test) { return "--gtest_filter=" + test; }

struct Listener final : testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo&) override { begin_test(); }
};

inline const bool kListening =
    (testing::UnitTest::GetInstance()->listeners().Append(new Listener), true);
inline const bool kRegistered =
    (register_framework({&begin, &end, &test_name, &rerun_argument}), true);

// What JOSTLE_TEST does. The report goes where GoogleTest sends failures, and only there; the
// place is that of the first finding, for editors that jump to it.
inline void explore(void (*body)(), Options options = {}) {
  options.quiet = true;
  skipped_at = {};
  const Result r = run(body, options);
  if (r.skipped) {
    if (skipped_at.line > 0) {
      return GTEST_MESSAGE_AT_(skipped_at.file, skipped_at.line, skipped_at.message,
                               testing::TestPartResult::kSkip);
    }
    GTEST_SKIP() << (r.executions == 0 ? r.report : "");
  }
  if (r.ok()) return;
  const bool placed = !r.findings.empty() && !r.findings.front().file.empty();
  if (placed)
    ADD_FAILURE_AT(r.findings.front().file.c_str(), static_cast<int>(r.findings.front().line))
        << r.report;
  else
    ADD_FAILURE() << r.report;
}

// A fixture's life around one execution of the body.
template <class Test>
void live() {
  Test jostle_fixture;  // reports know this name, and leave it out
  jostle_fixture.JostleSetUp();
  if (!testing::Test::HasFatalFailure()) jostle_fixture.JostleBody();
  jostle_fixture.JostleTearDown();
}

}  // namespace jostle::gtest

#define JOSTLE_TEST(suite, name) JOSTLE_TEST_WITH(suite, name, ({}))

#define JOSTLE_TEST_WITH(suite, name, options)                                       \
  static void suite##_##name##_JostleBody();                                         \
  TEST(suite, name) {                                                                \
    jostle::gtest::explore(&suite##_##name##_JostleBody, JOSTLE_OPTIONS_OF options); \
  }                                                                                  \
  static void suite##_##name##_JostleBody()
#define JOSTLE_OPTIONS_OF(...) ::jostle::Options __VA_ARGS__

// The test that GoogleTest knows has the fixture's type, so that it can stand beside ordinary
// TEST_Fs, but leaves SetUp and TearDown to the executions.
#define JOSTLE_FIXTURE_(fixture, name, base)                                   \
  class fixture##_##name##_Jostle : public base {                              \
   public:                                                                     \
    void JostleSetUp() { base::SetUp(); }                                      \
    void JostleTearDown() { base::TearDown(); }                                \
    void JostleBody();                                                         \
                                                                               \
   private:                                                                    \
    void SetUp() override {}                                                   \
    void TearDown() override {}                                                \
    void TestBody() override {                                                 \
      jostle::gtest::explore(&jostle::gtest::live<fixture##_##name##_Jostle>); \
    }                                                                          \
  };

#define JOSTLE_TEST_F(fixture, name)                                                     \
  JOSTLE_FIXTURE_(fixture, name, fixture)                                                \
  static const testing::TestInfo* const fixture##_##name##_JostleInfo =                  \
      testing::RegisterTest(#fixture, #name, nullptr, nullptr, __FILE__, __LINE__,       \
                            []() -> fixture* { return new fixture##_##name##_Jostle; }); \
  void fixture##_##name##_Jostle::JostleBody()

#define JOSTLE_TEST_P(fixture, name)                                                             \
  JOSTLE_FIXTURE_(fixture, name, fixture)                                                        \
  static const int fixture##_##name##_JostleRegistered =                                         \
      (testing::UnitTest::GetInstance()                                                          \
           ->parameterized_test_registry()                                                       \
           .GetTestSuitePatternHolder<fixture>(                                                  \
               #fixture, testing::internal::CodeLocation(__FILE__, __LINE__))                    \
           ->AddTestPattern(#fixture, #name,                                                     \
                            new testing::internal::TestMetaFactory<fixture##_##name##_Jostle>(), \
                            testing::internal::CodeLocation(__FILE__, __LINE__)),                \
       0);                                                                                       \
  void fixture##_##name##_Jostle::JostleBody()
