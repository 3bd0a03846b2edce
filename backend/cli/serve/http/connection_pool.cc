#include "cli/serve/http/connection_pool.h"

#include <algorithm>
#include <map>

namespace traced {

void ConnectionPool::add(PooledConnection& connection,
                         const std::string& source) {
  entries_.push_back({&connection, source});
  if (entries_.size() > max_) closeOne();
}

void ConnectionPool::remove(PooledConnection& connection) {
  entries_.remove_if(
      [&](const Entry& entry) { return entry.connection == &connection; });
}

void ConnectionPool::closeOne() {
  std::map<std::string, std::size_t> counts;
  for (const Entry& entry : entries_) ++counts[entry.source];
  const auto oldest = std::max_element(
      entries_.begin(), entries_.end(), [&](const Entry& a, const Entry& b) {
        return counts[a.source] < counts[b.source];
      });
  PooledConnection* const connection = oldest->connection;
  entries_.erase(oldest);
  connection->close();
}

}  // namespace traced
