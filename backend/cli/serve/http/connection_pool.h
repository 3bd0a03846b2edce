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
  // Ends the connection. The pool no longer has it.
  virtual void close() = 0;
};

// Not thread safe.
class ConnectionPool {
 public:
  explicit ConnectionPool(std::size_t max) : max_(max) {}

  // `source`: whose connection it is, such as an address. If the pool is full,
  // closes the oldest connection of the source that has the most.
  void add(PooledConnection& connection, const std::string& source);
  // Does nothing if the pool does not have it.
  void remove(PooledConnection& connection);

 private:
  struct Entry {
    PooledConnection* connection;
    std::string source;
  };

  void closeOne();

  const std::size_t max_;
  // The oldest first.
  std::list<Entry> entries_;
};

}  // namespace traced
