// What stands for postHttp where Boost was not there when this was built.

#include "cli/serve/otlp/http_post.h"

namespace traced {

bool canPostHttp() { return false; }

Result<HttpAnswer> postHttp(const HttpUrl&, const std::string&, std::string,
                            std::chrono::seconds) {
  return Error{"this tracectl was built without Boost and sends nothing"};
}

}  // namespace traced
