// ConnectionPool bounds the connections that are open at the same time. A new
// one is never refused: it replaces an old one.

#pragma once

#include <cstddef>
#include <list>
#include <string>

namespace traced {

class PooledConnection {
 public:
  virtual ~PooledConnection() = default;
  // Ends the connection, which the pool has already removed.
  virtual void close() = 0;
};

// Not thread safe.
class ConnectionPool {
 public:
  explicit ConnectionPool(std::size_t max) : max_(max) {}

  // Adds a connection. `source` identifies its client, such as an address. If
  // the pool is full, closes the oldest connection of the source with the most
  // connections.
  void add(PooledConnection& connection, const std::string& source);
  // Removes a connection. Does nothing if the pool does not have it.
  void remove(PooledConnection& connection);

 private:
  struct Entry {
    PooledConnection* connection;
    std::string source;
  };

  // Closes the oldest connection of the source with the most connections.
  void closeOne();

  const std::size_t max_;
  // Sorted from oldest to newest.
  std::list<Entry> entries_;
};

}  // namespace traced
