#include "options/toml.h"

#include <gtest/gtest.h>

namespace jostle {
namespace {

std::string error_of(std::string_view text) {
  const auto read = read_toml(text);
  return read ? "none" : read.error();
}

TomlValue value_of(const std::string& text) {
  const auto read = read_toml("key = " + text + "\n");
  EXPECT_TRUE(read) << text << ": " << read.error();
  if (!read || read->front().entries.size() != 1) return {};
  return read->front().entries.front().value;
}

TEST(Toml, SectionsAndEntries) {
  const auto read = read_toml(
      "\xef\xbb\xbf# a comment\r\n"
      "top = 1 # one\r\n"
      "\n"
      "[a]\n"
      "  x = true\n"
      "[ a . \"b c\" . 'd.e' ]   # three parts\n"
      "\"odd key\"='v'\n"
      "[empty]");
  ASSERT_TRUE(read) << read.error();
  ASSERT_EQ(read->size(), 4u);
  const TomlSection& top = (*read)[0];
  EXPECT_TRUE(top.name.empty());
  ASSERT_EQ(top.entries.size(), 1u);
  EXPECT_EQ(top.entries[0].key, "top");
  EXPECT_EQ(top.entries[0].line, 2u);
  EXPECT_EQ((*read)[1].entries[0].value.kind, TomlValue::Kind::boolean);
  const TomlSection& deep = (*read)[2];
  EXPECT_EQ(deep.name, (std::vector<std::string>{"a", "b c", "d.e"}));
  EXPECT_EQ(deep.line, 6u);
  EXPECT_EQ(deep.entries[0].key, "odd key");
  EXPECT_EQ((*read)[3].name, std::vector<std::string>{"empty"});
}

TEST(Toml, Texts) {
  EXPECT_EQ(value_of("\"a # b\"").text, "a # b");
  EXPECT_EQ(value_of(R"("tab\t quote\" back\\ \u00e9 \U0001F600")").text,
            "tab\t quote\" back\\ é 😀");
  EXPECT_EQ(value_of(R"('C:\dir "x"')").text, "C:\\dir \"x\"");
  EXPECT_EQ(value_of("\"\"").text, "");
  EXPECT_EQ(value_of("''").text, "");
}

TEST(Toml, NumbersAndTruth) {
  const std::tuple<const char*, TomlValue::Kind, const char*> cases[] = {
      {"0", TomlValue::Kind::integer, "0"},
      {"1_000_000", TomlValue::Kind::integer, "1000000"},
      {"-5", TomlValue::Kind::integer, "-5"},
      {"+5", TomlValue::Kind::integer, "5"},
      {"0xFf", TomlValue::Kind::integer, "0xFf"},
      {"0.25", TomlValue::Kind::real, "0.25"},
      {"true", TomlValue::Kind::boolean, "true"},
      {"false", TomlValue::Kind::boolean, "false"},
  };
  for (const auto& [text, kind, result] : cases) {
    const TomlValue v = value_of(text);
    EXPECT_EQ(v.kind, kind) << text;
    EXPECT_EQ(v.text, result) << text;
  }
  for (const char* bad : {"01", "1__0", "_1", "1_", "1.", ".5", "1.2.3", "0x", "1e5", "inf", "nan",
                          "True", "yes", "1979-05-27", "0b1", "--1", "x.y"})
    EXPECT_NE(error_of("k = " + std::string(bad)), "none") << bad;
}

TEST(Toml, Arrays) {
  EXPECT_TRUE(value_of("[]").texts.empty());
  const TomlValue v = value_of("[ # over lines\n  'a',\n  \"b\" , # last\n]");
  EXPECT_EQ(v.kind, TomlValue::Kind::texts);
  EXPECT_EQ(v.texts, (std::vector<std::string>{"a", "b"}));
  const auto read = read_toml("a = [\n'x']\nb = 1");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->front().entries[1].line, 3u);
}

TEST(Toml, ErrorsSayTheLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"a = 1\nb", "2: expected '=' after the key 'b'"},
      {"a = ", "1: expected a value: text in quotation marks, a number, true or false"},
      {"a = pct", "1: 'pct' is no value: write text in quotation marks"},
      {"a = 1 2", "1: there is more on the line than one value"},
      {"[a] b = 1", "1: there is more on the line than the name of a section"},
      {"a = 'x", "1: the text has no closing quotation mark"},
      {"a = \"x\ny\"", "1: the text has no closing quotation mark"},
      {"a = \"\"\"x\"\"\"", "1: text of several lines is not supported: write it on one"},
      {"a = \"\\q\"",
       "1: '\\q' is no escape sequence: write \\\\ for a backslash, or put the text in '...'"},
      {"a = \"\\u12\"", "1: \\u needs 4 hexadecimal digits"},
      {"a = \"\\ud800\"", "1: there is no such character: \\ud800"},
      {"a = [1]", "1: an array can hold texts in quotation marks only"},
      {"\na = ['x' 'y']", "2: expected ',' or ']' in the array"},
      {"a = ['x',\n", "2: the array has no closing ']'"},
      {"a = {b = 1}", "1: tables in values, {...}, are not supported"},
      {"a.b = 1", "1: keys with dots are not supported: use a [section]"},
      {"[[a]]", "1: arrays of tables, [[...]], are not supported"},
      {"[a", "1: the name of a section ends with ']'"},
      {"[]", "1: expected the name of a section"},
      {"[a.]", "1: expected the name of a section"},
      {"= 1", "1: expected a [section] or key = value"},
      {"a = 1\n\na = 2", "3: the key 'a' is there already, on line 1"},
      {"[a]\n[b]\n[a]", "3: the section is there already, on line 1"},
  };
  for (const auto& [text, error] : cases) EXPECT_EQ(error_of(text), error) << text;
}

TEST(Toml, NothingIsFine) {
  for (const char* text : {"", "\n", "# x", "  \t", "\r\n"}) EXPECT_EQ(error_of(text), "none");
  EXPECT_NE(error_of(std::string_view("\0", 1)), "none");
}

}  // namespace
}  // namespace jostle
