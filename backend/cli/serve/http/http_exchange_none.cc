// What stands for askHttp where Boost was not there when this was built.

#include "cli/serve/http/http_exchange.h"

namespace traced {

bool canAskHttp() { return false; }

Result<HttpAnswer> askHttp(HttpRequest, const HttpBounds&) {
  return Error{"this tracectl was built without Boost and asks nobody"};
}

}  // namespace traced
