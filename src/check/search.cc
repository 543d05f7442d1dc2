#include "check/search.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "check/fringe.h"
#include "options/options.h"

namespace jostle::checking {
namespace {

Expected<std::uint32_t> bound_of(const std::string& text) {
  if (text.empty()) return kUnbounded;
  std::uint32_t n = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || n > 100'000)
      return Error{"preemptions=" + text + ": a number is expected, or nothing for no bound"};
    n = n * 10 + static_cast<std::uint32_t>(c - '0');
  }
  return n;
}

Reduction reduction_of(Options::Reduction r, bool bounded) {
  switch (r) {
    case Options::Reduction::none:
      return Reduction::none;
    case Options::Reduction::dpor:
      return Reduction::dpor;
    case Options::Reduction::source:
      return Reduction::source;
    case Options::Reduction::optimal:
      return Reduction::optimal;
    case Options::Reduction::bpor:
      return Reduction::bpor;
    default:
      return bounded ? Reduction::bpor : Reduction::optimal;
  }
}

// Who has several processors looks for what one heuristic does not think of, too: an order for
// each, every other one by chance, with a seed of its own.
std::string portfolio(bool bounded, std::uint32_t jobs) {
  static constexpr const char* kFull[] = {"mdpor,pb", "pb", "ss,pb", "dpor,pb"};
  static constexpr const char* kBounded[] = {"ss,mdpor", "pb", "mdpor,pb", "dpor,pb"};
  static_assert(std::size(kFull) * 2 == kMostOrders && std::size(kBounded) == std::size(kFull));
  std::string text;
  for (std::uint32_t i = 0; i < std::clamp<std::uint32_t>(jobs, 1, kMostOrders); ++i)
    text += (i ? ";" : "") + std::string(i % 2 ? "rand" : (bounded ? kBounded : kFull)[i / 2]);
  return text;
}

}  // namespace

Expected<Search> make_search(const Options& o, const Code& code) {
  const auto bound = bound_of(o.preemptions);
  if (!bound) return Error{bound.error()};
  const bool bounded = *bound != kUnbounded;
  Search s;
  s.preemptions = *bound;
  s.reduction = reduction_of(o.reduction, bounded);
  if (bounded && s.reduction != Reduction::bpor && s.reduction != Reduction::none)
    return Error{"a bound on preemptions and reduction=" + value_of(o, "reduction") +
                 " do not go together: schedules within the bound would be left out. Take bpor, or "
                 "none"};
  const std::string orders = o.priority.empty() ? portfolio(bounded, o.jobs) : o.priority;
  auto made = make_orders(orders, o.seed, code);
  if (!made) return Error{made.error()};
  s.orders = std::move(*made);
  return s;
}

}  // namespace jostle::checking
