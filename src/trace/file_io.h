// Whole files, with errors that name the file and the reason.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/expected.h"

namespace jostle {

// Only regular files: a pipe or device could block for ever or never end.
Expected<std::string> read_file(const std::string& path, std::uint64_t limit);

// All or nothing: whoever opens `path` sees the old content or the new one, also after a crash
// or on a full disk. Missing directories are made.
Expected<bool> write_file(const std::string& path, std::string_view content);

}  // namespace jostle
