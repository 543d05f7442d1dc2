#include "report/line_table.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/rng.h"
#include "report/frames.h"
#include "report/symbols.h"

// Several files of this program instantiate std::vector<...>: the case that libbacktrace misses.
template <class T>
__attribute__((noinline)) std::uint64_t line_table_test_template(T) {
  const auto pc = reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
  asm volatile("" ::: "memory");
  return pc;
}
template <class T>
__attribute__((noinline)) std::uint64_t line_table_test_caller(T v) {
  const std::uint64_t pc = line_table_test_template(v);
  asm volatile("" ::: "memory");
  return pc;
}
constexpr std::uint32_t kCallLine = __LINE__ - 4;

namespace jostle::report {
namespace {

TEST(LineTable, FindsInlineFunctions) {
  ProcessLines lines;
  std::string file;
  std::uint32_t line = 0;
  ASSERT_TRUE(lines.find(line_table_test_caller(1) - 1, file, line));
  EXPECT_EQ(base_name(file), "line_table_test.cc");
  EXPECT_EQ(line, kCallLine);
}

TEST(LineTable, SymbolsUseIt) {
  Symbols s;
  for (const std::uint64_t pc : {line_table_test_caller(1), line_table_test_caller(1.5)}) {
    const auto& frames = s.frames(pc);
    ASSERT_FALSE(frames.empty());
    EXPECT_EQ(place_text(frames.back()), "line_table_test.cc:" + std::to_string(kCallLine));
    EXPECT_EQ(short_function(frames.back().function), "line_table_test_caller");
  }
}

TEST(LineTable, MissesAreQuiet) {
  ProcessLines lines;
  std::string file;
  std::uint32_t line = 0;
  EXPECT_FALSE(lines.find(0, file, line));
  EXPECT_FALSE(lines.find(~0ull, file, line));
  EXPECT_FALSE(LineTable("/nowhere").find(0, file, line));
  EXPECT_FALSE(LineTable("/proc/self/status").find(0, file, line));
}

TEST(LineTable, DamagedFilesAreSurvived) {
  std::ifstream in("/proc/self/exe", std::ios::binary);
  std::stringstream content;
  content << in.rdbuf();
  std::string whole = content.str();
  const std::string path = testing::TempDir() + "/jostle_line_table_test";
  Rng rng(3);
  for (int round = 0; round < 6; ++round) {
    std::string bad = whole;
    for (std::size_t i = 0; i < bad.size() / 50; ++i)
      // The front is spared in some rounds so that sections are still found.
      bad[(round % 2 ? 4096u : 0u) + rng.below64(bad.size() - 4096)] =
          static_cast<char>(rng.next());
    std::ofstream(path, std::ios::binary) << (round == 5 ? bad.substr(0, bad.size() / 2) : bad);
    const LineTable table(path);
    std::string file;
    std::uint32_t line = 0;
    for (int i = 0; i < 50; ++i) table.find(rng.below64(whole.size()), file, line);
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace jostle::report
