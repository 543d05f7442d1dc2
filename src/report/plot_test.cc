#include "report/plot.h"

#include <gtest/gtest.h>

namespace jostle::report {
namespace {

TEST(Plot, Ticks) {
  EXPECT_EQ(tick_of(0), 1);
  EXPECT_EQ(tick_of(1), 0.2);
  EXPECT_EQ(tick_of(10), 2);
  EXPECT_EQ(tick_of(25), 5);
  EXPECT_EQ(tick_of(31), 10);
  EXPECT_EQ(tick_of(123456), 50000);
}

TEST(Plot, Svg) {
  const std::string svg = to_svg({"a < b", "time", "nodes", {{"one & two", {{0, 0}, {10, 100}}}}});
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
  EXPECT_NE(svg.find("one &amp; two"), std::string::npos);
  EXPECT_NE(svg.find("d=\"M72.0 352.0L704.0 40.0\""), std::string::npos) << svg;
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(Plot, Steps) {
  const std::string svg = to_svg({"", "", "", {{"", {{0, 1}, {10, 2}}}}, true});
  EXPECT_NE(svg.find("H704.0V40.0\""), std::string::npos) << svg;
}

TEST(Plot, ThinsLongCurves) {
  Plot p{"", "", "", {{"", {}}}};
  for (int i = 0; i < 100'000; ++i) p.curves[0].points.push_back({i * 1.0, i * 1.0});
  EXPECT_LT(to_svg(p).size(), 40'000u);
}

TEST(Plot, NothingToShow) {
  EXPECT_NE(to_svg({"t", "x", "y", {}}).find("</svg>"), std::string::npos);
  EXPECT_EQ(to_svg({"t", "x", "y", {{"c", {{0, 0}}}}}).find("nan"), std::string::npos);
}

}  // namespace
}  // namespace jostle::report
