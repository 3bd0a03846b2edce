#include "cli/report/html/page_head.h"

#include "absl/strings/str_cat.h"
#include "cli/report/html/html_text.h"

namespace traced {

// No request to anywhere, and no script or style but ours.
std::string pageHead(const std::string& title, const PageParts& parts) {
  return absl::StrCat(
      "<!doctype html>\n<html lang=en><head><meta charset=utf-8>\n"
      "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
      "script-src '",
      parts.script.hash, "'; style-src '", parts.style.hash,
      "'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=color-scheme content=\"light dark\">\n<title>",
      htmlText(title), "</title>\n<style>", parts.style.text,
      "</style></head>\n<body>\n");
}

std::string pageScript(const Json& data, const PageParts& parts) {
  return absl::StrCat("<script type=\"application/json\" id=data>",
                      scriptJson(data), "</script>\n<script>",
                      parts.script.text, "</script>\n");
}

}  // namespace traced
