// Option values from and to text, one pair of functions per type of options.def.
#pragma once

#include <jostle/options.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::option_value {

bool read_text(std::string_view s, std::string& out);
bool read_list(std::string_view s, std::string& out);
bool read_flag(std::string_view s, bool& out);          // true/false, on/off, yes/no, 1/0
bool read_u64(std::string_view s, std::uint64_t& out);  // decimal, or hexadecimal after 0x
bool read_u32(std::string_view s, std::uint32_t& out);
bool read_positive(std::string_view s, std::uint32_t& out);
bool read_processes(std::string_view s, std::uint32_t& out);  // 1 to 256
bool read_seconds(std::string_view s, double& out);           // "500ms", "60s", "5m", "1h", "1.5"

std::string write_text(const std::string& v);
std::string write_list(const std::string& v);
std::string write_flag(bool v);
std::string write_u64(std::uint64_t v);
std::string write_u32(std::uint32_t v);
std::string write_positive(std::uint32_t v);
std::string write_processes(std::uint32_t v);
std::string write_seconds(double v);

// `words` is what the preprocessor makes of a JOSTLE_CHOICES row: "auto_, always, never".
bool read_choice(std::string_view words, std::string_view s, std::uint8_t& out);
std::string write_choice(std::string_view words, std::uint8_t v);
std::string expected_choice(std::string_view words);  // "one of auto, always, never"

// The texts of a list; empty ones are none.
std::vector<std::string> texts_of(std::string_view list);

}  // namespace jostle::option_value
