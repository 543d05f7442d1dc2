// Any bytes as text of a format. A program can print and be called whatever it likes: what is not
// valid UTF-8, or not allowed in the format, becomes U+FFFD.
#pragma once

#include <string>
#include <string_view>

namespace jostle::report {

std::string valid_utf8(std::string_view bytes);

// With the quotation marks.
std::string json_string(std::string_view bytes);

// For the content of an element, and for an attribute between quotation marks.
std::string xml_text(std::string_view bytes);
std::string xml_attribute(std::string_view bytes);

// A path as a URI reference: absolute ones become file:// URIs.
std::string path_uri(std::string_view path);

// A number as JSON and XML write it, whatever the locale; at most `digits` after the point.
std::string decimal(double value, int digits = 6);

// Without the escape sequences that colour text in a terminal.
std::string without_colours(std::string_view text);

}  // namespace jostle::report
