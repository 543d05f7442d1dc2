// "Did you mean ...?" for options, verbs, strategies: anything chosen from a list by name.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace jostle {

// How many single-character edits (insert, delete, replace, swap of neighbours) lead from a to b.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate that `word` was most likely meant to be; empty if none is similar enough for the
// hint to help.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

// ": did you mean 'strategy'?" or, without a similar candidate, "".
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace jostle
