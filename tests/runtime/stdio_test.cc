// printf, iostreams and files in controlled threads.
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>

#include "tests/runtime/support.h"

using namespace jostle_test;

namespace {

TEST(Stdio, SharedStreamKeepsLinesWhole) {
  const auto r = jostle::run(
      [] {
        std::FILE* f = std::tmpfile();
        JOSTLE_ASSERT(f != nullptr);
        auto work = [f](int id) {
          for (int i = 0; i < 3; ++i) {
            std::fprintf(f, "thread %d line %d\n", id, i);
            jostle_point();
          }
        };
        std::thread a(work, 1), b(work, 2);
        a.join();
        b.join();
        std::rewind(f);
        int lines = 0, next[3] = {};
        for (char text[64]; std::fgets(text, sizeof text, f); ++lines) {
          int id = 0, i = -1;
          JOSTLE_ASSERT(std::sscanf(text, "thread %d line %d\n", &id, &i) == 2);
          JOSTLE_ASSERT(id >= 1 && id <= 2 && next[id]++ == i);
        }
        JOSTLE_ASSERT(lines == 6);
        std::fclose(f);
      },
      quick(200));
  EXPECT_PASSES(r);
}

TEST(Stdio, StreamsPerThread) {
  const auto r = jostle::run(
      [] {
        auto work = [](int id) {
          std::ostringstream out;
          out << "id " << id << ' ' << 1.5 << std::hex << 255;
          jostle_point();
          JOSTLE_ASSERT(out.str() == "id " + std::to_string(id) + " 1.5ff");
          std::istringstream in("1 2 3");
          int sum = 0;
          for (int n; in >> n;) sum += n;
          JOSTLE_ASSERT(sum == 6);
        };
        std::thread a(work, 1), b(work, 2);
        a.join();
        b.join();
      },
      quick());
  EXPECT_PASSES(r);
}

// With std::cout and printf redirected to a file: what is printed arrives, in program order.
TEST(Stdio, StandardOutput) {
  const std::string path = testing::TempDir() + "jostle-stdio-" + std::to_string(getpid());
  std::fflush(stdout);
  const int saved = dup(1);
  ASSERT_NE(std::freopen(path.c_str(), "w", stdout), nullptr);
  const auto r = jostle::run(
      [] {
        auto work = [](int id) {
          std::printf("p%d\n", id);
          std::cout << "c" << id << std::endl;
        };
        std::thread a(work, 1), b(work, 2);
        a.join();
        b.join();
      },
      quick(50));
  std::fflush(stdout);
  dup2(saved, 1);
  close(saved);
  EXPECT_PASSES(r);
  std::ifstream in(path);
  std::uint64_t printed = 0;
  for (std::string line; std::getline(in, line);) printed += line == "p1" || line == "p2";
  EXPECT_EQ(printed, 2 * r.executions);
  unlink(path.c_str());
}

TEST(Stdio, FilesOfTheirOwn) {
  const auto r = jostle::run(
      [] {
        auto work = [](int id) {
          const std::string path = testing::TempDir() + "jostle-file-" + std::to_string(getpid()) +
                                   "-" + std::to_string(id);
          std::ofstream(path) << "contents " << id << '\n';
          jostle_point();
          std::string line;
          std::getline(std::ifstream(path), line);
          JOSTLE_ASSERT(line == "contents " + std::to_string(id));
          unlink(path.c_str());
        };
        std::thread a(work, 1), b(work, 2);
        a.join();
        b.join();
      },
      quick(50));
  EXPECT_PASSES(r);
}

TEST(Stdio, LockHeldOverASwitch) {
  const auto r = jostle::run(
      [] {
        std::FILE* f = std::fopen("/dev/null", "w");
        int inside = 0;
        auto work = [&] {
          flockfile(f);
          JOSTLE_ASSERT(++inside == 1);
          jostle_point();
          --inside;
          funlockfile(f);
          std::fputs("unlocked\n", f);
        };
        std::thread a(work), b(work);
        a.join();
        b.join();
        std::fclose(f);
      },
      quick());
  EXPECT_PASSES(r);
}

// --- streams that an execution ended in the middle of -------------------------------------------

// As glibc lays it out.
struct StreamLock {
  int word, count;
  void* owner;
};

class LeftLocked : public testing::Test {
 protected:
  LeftLocked() : stream(std::tmpfile()) {}
  ~LeftLocked() override { std::fclose(stream); }
  bool is_free() const {
    if (ftrylockfile(stream) != 0) return false;
    funlockfile(stream);
    return true;
  }
  std::FILE* stream;
};

TEST_F(LeftLocked, IsFreeAfterwards) {
  const auto r = jostle::run(
      [this] {
        flockfile(stream);
        JOSTLE_ASSERT(false);
      },
      quick(1));
  EXPECT_FINDS(r, "assertion");
  EXPECT_TRUE(is_free());
}

TEST_F(LeftLocked, ByAnotherThread) {
  const auto r = jostle::run(
      [this] {
        std::thread t([this] {
          flockfile(stream);
          JOSTLE_ASSERT(false);
        });
        t.join();
      },
      quick(1));
  EXPECT_FINDS(r, "assertion");
  EXPECT_TRUE(is_free());
}

// Between taking the lock and saying whose it is.
TEST_F(LeftLocked, HalfWay) {
  const auto r = jostle::run(
      [this] {
        flockfile(stream);
        auto* lock = reinterpret_cast<StreamLock*>(stream->_lock);
        lock->owner = nullptr;
        lock->count = 0;
        JOSTLE_ASSERT(false);
      },
      quick(1));
  EXPECT_FINDS(r, "assertion");
  EXPECT_TRUE(is_free());
}

// What somebody else has locked stays locked.
TEST_F(LeftLocked, ByNobodyOfOurs) {
  flockfile(stream);
  const auto r = jostle::run([] { JOSTLE_ASSERT(false); }, quick(1));
  EXPECT_FINDS(r, "assertion");
  auto* lock = reinterpret_cast<StreamLock*>(stream->_lock);
  EXPECT_NE(lock->word, 0);
  EXPECT_NE(lock->owner, nullptr);
  funlockfile(stream);
  EXPECT_TRUE(is_free());
}

}  // namespace
