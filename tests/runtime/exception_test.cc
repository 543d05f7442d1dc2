// Exceptions in flight belong to their thread, whatever runs meanwhile.
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/support.h"

using namespace jostle_test;

namespace {

void throw_number() { throw 1; }

TEST(Exception, NestedHandlersSurviveSwitches) {
  const auto r = jostle::run(
      [] {
        auto work = [](int id) {
          try {
            jostle_point();
            throw id;
          } catch (int outer) {
            jostle_point();
            try {
              throw std::to_string(id);
            } catch (const std::string& inner) {
              jostle_point();
              JOSTLE_ASSERT(inner == std::to_string(id));
            }
            jostle_point();
            JOSTLE_ASSERT(outer == id);
          }
          JOSTLE_ASSERT(!std::current_exception());
        };
        std::thread a(work, 1), b(work, 2);
        work(0);
        a.join();
        b.join();
      },
      quick());
  EXPECT_PASSES(r);
}

TEST(Exception, RethrownAfterASwitch) {
  const auto r = jostle::run(
      [] {
        auto work = [](int id) {
          int caught = 0;
          try {
            try {
              throw std::runtime_error(std::to_string(id));
            } catch (const std::exception&) {
              jostle_point();
              throw;
            }
          } catch (const std::runtime_error& e) {
            jostle_point();
            JOSTLE_ASSERT(e.what() == std::to_string(id));
            ++caught;
          }
          JOSTLE_ASSERT(caught == 1);
        };
        std::thread a(work, 1), b(work, 2);
        a.join();
        b.join();
      },
      quick());
  EXPECT_PASSES(r);
}

TEST(Exception, UncaughtCountIsPerThread) {
  const auto r = jostle::run(
      [] {
        struct Watch {
          ~Watch() {
            const int before = std::uncaught_exceptions();
            jostle_point();
            JOSTLE_ASSERT(before == 1 && std::uncaught_exceptions() == 1);
          }
        };
        auto work = [] {
          JOSTLE_ASSERT(std::uncaught_exceptions() == 0);
          try {
            Watch w;
            jostle_point();
            throw 1;
          } catch (int) {
            jostle_point();
            JOSTLE_ASSERT(std::uncaught_exceptions() == 0);
          }
        };
        std::thread a(work), b(work);
        work();
        a.join();
        b.join();
      },
      quick());
  EXPECT_PASSES(r);
}

TEST(Exception, CarriedToAnotherThread) {
  const auto r = jostle::run(
      [] {
        std::exception_ptr carried[2];
        auto work = [&](int id) {
          try {
            throw std::out_of_range(std::to_string(id));
          } catch (...) {
            jostle_point();
            carried[id] = std::current_exception();
          }
        };
        std::thread a(work, 0), b(work, 1);
        a.join();
        b.join();
        for (int i = 0; i < 2; ++i) {
          try {
            std::rethrow_exception(carried[i]);
          } catch (const std::out_of_range& e) {
            JOSTLE_ASSERT(e.what() == std::to_string(i));
          }
        }
      },
      quick());
  EXPECT_PASSES(r);
}

TEST(Exception, UnwindingUnlocks) {
  const auto r = jostle::run(
      [] {
        std::mutex m;
        int inside = 0;
        auto work = [&] {
          for (int i = 0; i < 2; ++i) {
            try {
              std::lock_guard lock(m);
              JOSTLE_ASSERT(++inside == 1);
              jostle_point();
              --inside;
              throw i;
            } catch (int) {
            }
          }
        };
        std::thread a(work), b(work);
        a.join();
        b.join();
      },
      quick());
  EXPECT_PASSES(r);
}

TEST(Exception, NestedExceptionsKeepTheirChain) {
  const auto r = jostle::run(
      [] {
        auto work = [](int id) {
          try {
            try {
              throw std::runtime_error("inner" + std::to_string(id));
            } catch (...) {
              jostle_point();
              std::throw_with_nested(std::logic_error("outer" + std::to_string(id)));
            }
          } catch (const std::logic_error& e) {
            JOSTLE_ASSERT(e.what() == "outer" + std::to_string(id));
            jostle_point();
            bool found = false;
            try {
              std::rethrow_if_nested(e);
            } catch (const std::runtime_error& inner) {
              found = inner.what() == "inner" + std::to_string(id);
            }
            JOSTLE_ASSERT(found);
          }
        };
        std::thread a(work, 1), b(work, 2);
        a.join();
        b.join();
      },
      quick());
  EXPECT_PASSES(r);
}

TEST(Exception, OutOfTheBody) {
  const auto r = jostle::run([] { throw std::runtime_error("from the body"); }, quick());
  EXPECT_FINDS(r, "exception");
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_NE(r.findings[0].message.find("from the body"), std::string::npos)
      << r.findings[0].message;
  EXPECT_NE(r.findings[0].message.find("std::runtime_error"), std::string::npos)
      << r.findings[0].message;
}

TEST(Exception, OutOfAThread) {
  const auto r = jostle::run(
      [] {
        std::thread t([] { throw std::logic_error("from a thread"); });
        t.join();
      },
      quick());
  EXPECT_FINDS(r, "exception");
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_NE(r.findings[0].message.find("from a thread"), std::string::npos)
      << r.findings[0].message;
}

TEST(Exception, OfNoStandardType) {
  const auto r = jostle::run([] { throw 42; }, quick());
  EXPECT_FINDS(r, "exception");
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_NE(r.findings[0].message.find("int"), std::string::npos) << r.findings[0].message;
}

// --- std::terminate(), and why ----------------------------------------------------------------

void throws() { throw std::runtime_error("thrown"); }

std::string message_of(void (*body)()) {
  const auto r = jostle::run(body, quick(1));
  if (r.findings.size() != 1 || r.findings[0].kind != "exception" || !r.findings[0].confirmed)
    return "not one confirmed exception:\n" + r.report;
  EXPECT_NE(r.report.find("exception: " + r.findings[0].message.substr(0, 40)), std::string::npos)
      << r.report;  // the rest may stand on the next line
  return r.findings[0].message;
}

TEST(Terminate, JoinableThreadDestroyed) {
  EXPECT_EQ(message_of([] { std::thread t([] {}); }),
            "std::thread destroyed while joinable: std::terminate() was called");
}
TEST(Terminate, JoinableThreadDestroyedInAContainer) {
  EXPECT_EQ(message_of([] {
              std::vector<std::thread> threads;
              threads.emplace_back([] {});
            }),
            "std::thread destroyed while joinable: std::terminate() was called");
}
TEST(Terminate, JoinableThreadAssignedTo) {
  EXPECT_EQ(message_of([] {
              std::thread t([] {});
              t = std::thread();
            }),
            "std::thread assigned to while joinable: std::terminate() was called");
}
TEST(Terminate, JoinableThreadDestroyedWhileUnwinding) {
  EXPECT_EQ(message_of([] {
              try {
                std::thread t([] {});
                throws();
              } catch (const std::runtime_error&) {
              }
            }),
            "std::thread destroyed while joinable: std::terminate() was called while an exception "
            "was on its way");
}
TEST(Terminate, JoinableThreadDestroyedInAHandler) {
  EXPECT_EQ(message_of([] {
              try {
                throws();
              } catch (const std::runtime_error&) {
                std::thread t([] {});
              }
            }),
            "std::thread destroyed while joinable: std::terminate() was called while handling an "
            "exception of type std::runtime_error: thrown");
}
TEST(Terminate, FromNoexcept) {
  EXPECT_EQ(message_of([] { []() noexcept { throws(); }(); }),
            "uncaught exception of type std::runtime_error: thrown");
}
// Not where it was given up: what the frames in between would clean up is left as it is.
TEST(Terminate, IsToldWhereItWasThrown) {
  for (const bool in_thread : {false, true}) {
    static int cleaned;
    cleaned = 0;
    struct Cleans {
      ~Cleans() { ++cleaned; }
    };
    const auto r = jostle::run(
        [=] {
          const auto throws_here = [] {
            const Cleans c;
            throws();
          };
          if (!in_thread) throws_here();
          std::thread(throws_here).join();
        },
        quick(1));
    ASSERT_EQ(r.findings.size(), 1u) << r.report;
    EXPECT_EQ(r.findings[0].function, "throws") << r.report;
    EXPECT_EQ(cleaned, 0);
  }
}
TEST(Terminate, SecondExceptionWhileUnwinding) {
  static volatile bool always = true;  // or the compiler leaves the handler out
  struct Throws {
    ~Throws() noexcept(false) {
      if (always) throw std::logic_error("second");
    }
  };
  EXPECT_EQ(message_of([] {
              try {
                const Throws t;
                throws();
              } catch (...) {
              }
            }),
            "uncaught exception of type std::logic_error: second");
}
TEST(Terminate, CalledByTheProgram) {
  EXPECT_EQ(message_of([] { std::terminate(); }), "std::terminate() was called");
  EXPECT_EQ(message_of([] {
              try {
                throws();
              } catch (const std::runtime_error&) {
                std::terminate();
              }
            }),
            "std::terminate() was called while handling an exception of type std::runtime_error: "
            "thrown");
}
TEST(Terminate, NothingToThrowAgain) {
  EXPECT_EQ(message_of([] { throw; }),
            "std::terminate() was called by the C++ library (throw; without an exception to throw "
            "again, or a pure virtual function was called)");
}

// The library's handler has a static variable of its own.
TEST(Terminate, EachTimeIsTheSameFinding) {
  auto o = quick(20);
  o.keep_going = true;
  const auto r = jostle::run([] { []() noexcept { throw_number(); }(); }, o);
  EXPECT_FINDS(r, "exception");
}

// State of Jostle's own changes, too, when exceptions are thrown for the first time.
TEST(Exception, WhatIsLeftBehindIsNotJostles) {
  static int left_behind = 0;
  const auto r = jostle::run(
      [] {
        try {
          throw 1;
        } catch (...) {
          const std::exception_ptr p = std::current_exception();
        }
        JOSTLE_ASSERT(++left_behind < 4);
      },
      quick(20));
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_FALSE(r.findings[0].confirmed);
  EXPECT_NE(r.report.find("left_behind"), std::string::npos) << r.report;
  EXPECT_EQ(r.report.find("real_"), std::string::npos) << r.report;
}

// An execution that ends with exceptions in flight must leave nothing to the next one.
TEST(Exception, AbandonedInFlight) {
  auto o = quick(50);
  o.keep_going = true;
  const auto r = jostle::run(
      [] {
        JOSTLE_ASSERT(!std::current_exception());
        JOSTLE_ASSERT(std::uncaught_exceptions() == 0);
        std::thread t([] {
          JOSTLE_ASSERT(!std::current_exception());
          try {
            throw 1;
          } catch (int) {
            jostle_point();
          }
        });
        try {
          throw 2;
        } catch (int) {
          JOSTLE_ASSERT(false && "on purpose");
        }
        t.join();
      },
      o);
  EXPECT_FINDS(r, "assertion");
  ASSERT_GE(r.findings.size(), 1u);
  EXPECT_NE(r.findings[0].message.find("on purpose"), std::string::npos) << r.report;
}

}  // namespace
