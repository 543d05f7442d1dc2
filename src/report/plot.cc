#include "report/plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace jostle::report {
namespace {

constexpr double kWidth = 720, kHeight = 400, kLeft = 72, kRight = 16, kTop = 40, kBottom = 48;
constexpr double kInnerWidth = kWidth - kLeft - kRight, kInnerHeight = kHeight - kTop - kBottom;
// Told apart by most people who see colours, on white and on black.
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                    "#e69f00", "#56b4e9", "#999999"};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

template <class... T>
std::string format(const char* pattern, T... values) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

// 1200000: 1.2M
std::string short_number(double v) {
  const char* unit = "";
  for (const char* next : {"k", "M", "G", "T"}) {
    if (v < 1000) break;
    v /= 1000;
    unit = next;
  }
  return format("%.4g", v) + unit;
}

std::string label(double x, double y, const char* anchor, const std::string& text,
                  const std::string& more = "") {
  return format(R"(<text x="%.1f" y="%.1f" text-anchor="%s")", x, y, anchor) + more + ">" +
         escaped(text) + "</text>\n";
}

std::string path_of(const Curve& c, double most_x, double most_y, bool steps) {
  std::string d;
  double last_x = -1, last_y = 0;
  for (std::size_t i = 0; i < c.points.size(); ++i) {
    const double x = kLeft + c.points[i].x / most_x * kInnerWidth;
    const double y = kTop + kInnerHeight - c.points[i].y / most_y * kInnerHeight;
    // Half a pixel further: the last of those in between is left out unless it matters.
    if (i > 0 && i + 1 < c.points.size() && x - last_x < 0.5 && std::abs(y - last_y) < 0.5)
      continue;
    if (d.empty())
      d = format("M%.1f %.1f", x, y);
    else
      d += steps ? format("H%.1fV%.1f", x, y) : format("L%.1f %.1f", x, y);
    last_x = x;
    last_y = y;
  }
  return d;
}

}  // namespace

double tick_of(double most) {
  if (!(most > 0)) return 1;
  const double power = std::pow(10, std::floor(std::log10(most / 5)));
  for (const double f : {1.0, 2.0, 5.0})
    if (most / (f * power) <= 6) return f * power;
  return 10 * power;
}

std::string to_svg(const Plot& plot) {
  double most_x = 0, most_y = 0;
  for (const Curve& c : plot.curves)
    for (const Curve::Point& p : c.points) {
      most_x = std::max(most_x, p.x);
      most_y = std::max(most_y, p.y);
    }
  const double tick_x = tick_of(most_x), tick_y = tick_of(most_y);
  most_x = most_x > 0 ? most_x : 1;
  most_y = most_y > 0 ? std::ceil(most_y / tick_y) * tick_y : 1;

  std::string out = format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif" )"
      R"(font-size="12">)"
      "\n",
      kWidth, kHeight);
  out += R"(<rect width="100%" height="100%" fill="white"/>)"
         "\n";
  out += label(kLeft, 22, "start", plot.title, R"( font-size="15" font-weight="bold")");
  const double bottom = kTop + kInnerHeight;
  for (double v = 0; v <= most_y * 1.0001; v += tick_y) {
    const double y = bottom - v / most_y * kInnerHeight;
    out += format(R"(<path d="M%g %.1fH%g" stroke="#ddd"/>)", kLeft, y, kWidth - kRight) + "\n";
    out += label(kLeft - 6, y + 4, "end", short_number(v));
  }
  for (double v = 0; v <= most_x * 1.0001; v += tick_x) {
    const double x = kLeft + v / most_x * kInnerWidth;
    out += format(R"(<path d="M%.1f %gv5" stroke="#444"/>)", x, bottom) + "\n";
    out += label(x, bottom + 18, "middle", short_number(v));
  }
  out += format(R"(<path d="M%g %gV%gH%g" fill="none" stroke="#444"/>)", kLeft, kTop, bottom,
                kWidth - kRight) +
         "\n";
  out += label(kLeft + kInnerWidth / 2, kHeight - 10, "middle", plot.x);
  const double middle = kTop + kInnerHeight / 2;
  out += label(16, middle, "middle", plot.y, format(" transform=\"rotate(-90 16 %g)\"", middle));
  for (std::size_t i = 0; i < plot.curves.size(); ++i) {
    const char* colour = kColours[i % std::size(kColours)];
    out += R"(<path fill="none" stroke-width="1.8" stroke=")" + std::string(colour) + R"(" d=")" +
           path_of(plot.curves[i], most_x, most_y, plot.steps) + "\"/>\n";
    const double y = kTop + 14 + 17 * static_cast<double>(i);
    out +=
        format(R"(<path d="M%g %gh18" stroke-width="3" stroke="%s"/>)", kLeft + 12, y - 4, colour) +
        "\n";
    out += label(kLeft + 36, y, "start", plot.curves[i].name);
  }
  return out + "</svg>\n";
}

}  // namespace jostle::report
