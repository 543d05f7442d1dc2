// The memo on a server, for a team: PostgreSQL, through libpq.so.5, loaded when first used.
#pragma once

#include "memo/connection.h"

namespace jostle::memo {

Expected<std::unique_ptr<Connection>> open_postgres(const std::string& url);

}  // namespace jostle::memo
