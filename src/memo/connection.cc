#include "memo/connection.h"

#include "memo/postgres.h"
#include "memo/sqlite.h"

namespace jostle::memo {

bool is_url(const std::string& database) { return database.find("://") != std::string::npos; }

std::string shown(const std::string& database) {
  if (!is_url(database)) return database;
  std::string s = database;
  const std::size_t from = s.find("://") + 3;
  const std::size_t host = std::min(s.find_first_of("/?", from), s.size());
  if (const std::size_t at = s.rfind('@', host); at != std::string::npos && at >= from)
    if (const std::size_t colon = s.find(':', from); colon < at)
      s.replace(colon + 1, at - colon - 1, "***");
  if (const std::size_t word = s.find("password="); word != std::string::npos)
    s.replace(word + 9, std::min(s.find('&', word), s.size()) - word - 9, "***");
  return s;
}

Expected<std::unique_ptr<Connection>> connect(const std::string& database, bool create) {
  if (database.starts_with("postgresql://") || database.starts_with("postgres://"))
    return open_postgres(database);
  if (is_url(database))
    return Error{"'" + shown(database) +
                 "': a memo database is a file or postgresql://USER@HOST/DATABASE"};
  return open_sqlite(database, create);
}

}  // namespace jostle::memo
