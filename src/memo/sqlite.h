// The memo in a file: SQLite, loaded from libsqlite3.so.0 when first used.
#pragma once

#include "memo/connection.h"

namespace jostle::memo {

Expected<std::unique_ptr<Connection>> open_sqlite(const std::string& path, bool create);

}  // namespace jostle::memo
