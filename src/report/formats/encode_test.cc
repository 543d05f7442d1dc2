#include "report/formats/encode.h"

#include <gtest/gtest.h>

#include "report/formats/json_writer.h"

namespace jostle::report {
namespace {

TEST(Encode, InvalidBytesAreReplaced) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},
      {"plain", "plain"},
      {"é → 😀", "é → 😀"},
      {"a\xff"
       "b",
       "a\ufffdb"},
      {"cut \xe2\x86", "cut \ufffd\ufffd"},    // two thirds of an arrow
      {"\xc0\x80", "\ufffd\ufffd"},            // NUL, longer than need be
      {"\xed\xa0\x80", "\ufffd\ufffd\ufffd"},  // half of a pair
      {"\xf5\x80\x80\x80", "\ufffd\ufffd\ufffd\ufffd"},
      {"\xf4\x90\x80\x80", "\ufffd\ufffd\ufffd\ufffd"},
  };
  for (const auto& [bytes, text] : cases) EXPECT_EQ(valid_utf8(bytes), text);
}

TEST(Encode, Json) {
  EXPECT_EQ(json_string("a\"b\\c\n\r\t\x01\x7f/é"), R"("a\"b\\c\n\r\t\u0001\u007f/é")");
  EXPECT_EQ(json_string(std::string_view("\0", 1)), R"("\u0000")");
}

TEST(Encode, Xml) {
  EXPECT_EQ(xml_text("<a & 'b' \"c\">\n\r\x1b]]>"), "&lt;a &amp; 'b' \"c\"&gt;\n&#13;\ufffd]]&gt;");
  EXPECT_EQ(xml_attribute("\"\n\t<"), "&quot;&#10;&#9;&lt;");
  EXPECT_EQ(xml_text("\xef\xbf\xbf"), "\ufffd");  // U+FFFF is valid UTF-8 but not XML
}

TEST(Encode, Uris) {
  EXPECT_EQ(path_uri("src/a b#1%.cc"), "src/a%20b%231%25.cc");
  EXPECT_EQ(path_uri("/home/é"), "file:///home/%C3%A9");
  EXPECT_EQ(path_uri("a:b"), "a%3Ab");  // not a scheme
}

TEST(Encode, Numbers) {
  EXPECT_EQ(decimal(0), "0");
  EXPECT_EQ(decimal(0.5), "0.5");
  EXPECT_EQ(decimal(100), "100");
  EXPECT_EQ(decimal(1234567.25), "1234567.25");
  EXPECT_EQ(decimal(0.0000001), "0");
  EXPECT_EQ(decimal(-0.0000001), "0");
  EXPECT_EQ(decimal(12.3456, 3), "12.346");
  EXPECT_EQ(decimal(1.0 / 0.0), "0");
}

TEST(Encode, Colours) {
  EXPECT_EQ(without_colours("a\x1b[1;31mred\x1b[0m b\x1b[K\x1b["), "ared b\x1b[K\x1b[");
}

TEST(JsonWriter, Nesting) {
  JsonWriter w;
  w.open_object();
  w.member("a", true);
  w.key("b").open_array();
  w.close();
  w.key("c").open_array();
  w.value(1u);
  w.open_flat_object();
  w.member("x", 0.25);
  w.member("y", std::vector<std::string>{"p", "q"});
  w.some("z", "");
  w.close();
  w.close();
  w.close();
  EXPECT_EQ(w.text(), R"({
  "a": true,
  "b": [],
  "c": [
    1,
    {"x": 0.25, "y": ["p", "q"]}
  ]
}
)");
}

}  // namespace
}  // namespace jostle::report
