// What a rank says to a request, as the text of its mark (MARK_KIND_SETTINGS).

#pragma once

#include <string>
#include <string_view>

namespace traced {

struct ControlAnswer {
  // Which of the settings that were asked for are in force now, such as
  // "enabled=0,watch=60s"; "": none.
  std::string in_force;
  // Why others are not; "": all are.
  std::string refused;

  // "enabled=0", "enabled=0; refused: ..." or "refused: ...".
  std::string text() const {
    const bool both = !in_force.empty() && !refused.empty();
    return in_force + (both ? "; " : "") +
           (refused.empty() ? "" : std::string(kRefused) + refused);
  }
  static ControlAnswer fromText(std::string_view text) {
    const std::size_t at = text.find(kRefused);
    if (at == std::string_view::npos) return {std::string(text), ""};
    const std::string_view before = text.substr(0, at < 2 ? 0 : at - 2);
    return {std::string(before),
            std::string(text.substr(at + kRefused.size()))};
  }

 private:
  static constexpr std::string_view kRefused = "refused: ";
};

}  // namespace traced
