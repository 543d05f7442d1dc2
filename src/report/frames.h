// Making frames fit for people: short names, and the user's own line instead of the library's.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/trace.h"
#include "report/symbols.h"

namespace jostle::report {

// "void bank::(anonymous namespace)::Account<int>::withdraw(int) const" ->
// "bank::Account::withdraw"; a closure of gcc or clang becomes "main::{lambda}".
std::string short_function(std::string_view demangled);

std::string_view base_name(std::string_view path);

// Resolves "." and ".." by text: the file may be on another machine.
std::string normalise(std::string_view path);

// Code of the program under test, as opposed to the standard library, the C library, a test
// framework or Jostle.
bool is_user_frame(const Frame& f);

// pcs of an event, place or wait, innermost first. Never reads outside the trace, whatever it
// holds.
std::vector<std::uint64_t> stack_of(const Trace& t, const Event& e);
std::vector<std::uint64_t> stack_of(const Trace& t, const Place& p);
std::vector<std::uint64_t> stack_of(const Trace& t, const Blocked& b);
std::vector<std::uint64_t> stack_of(const Trace& t, const Decision& d);

// All frames of a stack, inlined ones included, innermost first.
std::vector<Frame> resolve(SymbolSource& s, std::span<const std::uint64_t> pcs);

// The innermost user frame; without one the innermost that has a line; else the innermost.
Frame user_frame(SymbolSource& s, std::span<const std::uint64_t> pcs);

// Where an event or place is for the user: the frame above, or, for a problem for which the
// program named a place itself (a failed assertion), that place.
Frame where(const Trace& t, SymbolSource& s, const Event& e);
Frame where(const Trace& t, SymbolSource& s, const Place& p);
Frame where(const Trace& t, SymbolSource& s, const Problem& p);

// "account.cc:12"; "?" if unknown.
std::string place_text(const Frame& f);

}  // namespace jostle::report
