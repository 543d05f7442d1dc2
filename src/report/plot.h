// Curves as a picture (SVG): for reports, and for the figures of benchmarks.
#pragma once

#include <string>
#include <vector>

namespace jostle::report {

struct Curve {
  struct Point {
    double x, y;
  };
  std::string name;
  std::vector<Point> points;  // by x
};

struct Plot {
  std::string title, x, y;  // what the axes show
  std::vector<Curve> curves;
  bool steps = false;  // a value holds until the next one
};

// A whole document. Both axes begin at 0. Long curves are thinned to what can be seen.
std::string to_svg(const Plot& plot);

// Round distances between the marks of an axis up to `most`: 1, 2 or 5 times a power of ten.
double tick_of(double most);

}  // namespace jostle::report
