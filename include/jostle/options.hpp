// How a run is to be made. Aggregate, so that a test names only what it changes:
//
//     jostle::run(body, {.executions = 500, .preempt = jostle::Options::Preempt::all});
//
// The members, their defaults and their meaning stand in options.def. Members come in the order
// of that file, which is the order designated initialisers must keep.
#pragma once

#include <cstdint>
#include <string>

namespace jostle {

namespace option_type {
using text = std::string;
using list = std::string;
using flag = bool;
using u64 = std::uint64_t;
using u32 = std::uint32_t;
using positive = std::uint32_t;
using processes = std::uint32_t;
using seconds = double;
}  // namespace option_type

struct Options {
#define JOSTLE_CHOICES(type, ...) enum class type : std::uint8_t { __VA_ARGS__ };
#include <jostle/options.def>

  // Choices are nested in Options, the other types are not: the macro finds both by one name.
  using text = option_type::text;
  using list = option_type::list;
  using flag = option_type::flag;
  using u64 = option_type::u64;
  using u32 = option_type::u32;
  using positive = option_type::positive;
  using processes = option_type::processes;
  using seconds = option_type::seconds;

#define JOSTLE_OPTION(name, type, default_value, description) type name = default_value;
#include <jostle/options.def>

  friend bool operator==(const Options&, const Options&) = default;
};

}  // namespace jostle
