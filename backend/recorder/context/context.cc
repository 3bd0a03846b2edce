#include "recorder/context/context.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "base/log_message.h"
#include "base/utf8.h"
#include "ring_io/ring/definition_cache.h"

namespace traced {
namespace {

std::string cut(std::string_view text) {
  return toValidUtf8(text.substr(0, Context::kMaxTextBytes));
}

void cutTexts(v1::Context& facts) {
  if (facts.has_module()) facts.set_module(cut(facts.module()));
  if (facts.has_module_type()) facts.set_module_type(cut(facts.module_type()));
  if (facts.has_model()) facts.set_model(cut(facts.model()));
  facts.set_parent(cut(facts.parent()));
}

// The innermost context that the thread has entered, or null.
constinit thread_local const Context* own = nullptr;

std::atomic<std::uint64_t> next_entry{1};
// Set when the first context is entered. Before that, no thread was given one.
std::atomic<ContextCarrier*> carrier{nullptr};
std::atomic<ContextCarrier*> carrier_in_use{nullptr};
std::atomic<ContextOverlay*> overlay{nullptr};

const ContextRef* givenContext() noexcept {
  const ContextCarrier* in_use = carrier_in_use.load(std::memory_order_acquire);
  return in_use ? in_use->given() : nullptr;
}

// The contexts that a thread has entered and not left, on top of the given one.
class EnteredContexts {
 public:
  ~EnteredContexts() {
    own = nullptr;
    warnOpenAnnotations();
  }

  std::uint64_t enter(const v1::Context& change) {
    if (entries_.empty()) {
      const ContextRef* given = givenContext();
      given_ = given ? *given : nullptr;
    }
    const std::uint64_t id = next_entry.fetch_add(1, std::memory_order_relaxed);
    entries_.push_back({id, change, contextOn(top(), change)});
    show();
    return id;
  }

  bool leave(std::uint64_t id) {
    if (!entries_.empty() && entries_.back().id == id) {
      const Entry left = std::move(entries_.back());
      entries_.pop_back();
      show();
      return true;
    }
    const auto found =
        std::find_if(entries_.begin(), entries_.end(),
                     [id](const Entry& entry) { return entry.id == id; });
    if (found == entries_.end()) return false;
    leaveBelowOthers(found - entries_.begin());
    return true;
  }

 private:
  // Warns once per process. The recorded operations keep the annotation.
  void warnOpenAnnotations() const noexcept {
    static std::atomic<bool> warned{false};
    for (const Entry& entry : entries_) {
      if (entry.change.annotation_size() == 0 || warned.exchange(true))
        continue;
      const std::string_view annotation = entry.change.annotation(0);
      logMessage({"a thread ended inside the annotation \"",
                  annotation.substr(0, Context::kMaxTextBytes),
                  "\"; use `with`, or call __exit__"});
    }
  }

  struct Entry {
    std::uint64_t id;
    v1::Context change;
    ContextRef context;
  };

  void leaveBelowOthers(std::ptrdiff_t left) {
    std::vector<Entry> kept = entries_;
    auto later = kept.erase(kept.begin() + left);
    for (; later != kept.end(); ++later) {
      const ContextRef& below =
          later == kept.begin() ? given_ : std::prev(later)->context;
      later->context = contextOn(below, later->change);
    }
    entries_.swap(kept);
    show();
  }
  static ContextRef contextOn(const ContextRef& base,
                              const v1::Context& change) {
    return std::make_shared<const Context>(base.get(), change);
  }
  const ContextRef& top() const {
    return entries_.empty() ? given_ : entries_.back().context;
  }
  void show() {
    own = entries_.empty() ? nullptr : entries_.back().context.get();
    ContextCarrier* const known = carrier.load(std::memory_order_acquire);
    if (!known) return;
    known->give(top());
    carrier_in_use.store(known, std::memory_order_release);
    if (entries_.empty()) given_ = nullptr;
  }

  ContextRef given_;
  std::vector<Entry> entries_;
};

EnteredContexts& entered() {
  thread_local EnteredContexts contexts;
  return contexts;
}

}  // namespace

Context::Context(const Context* base, const v1::Context& change) {
  if (base) facts_ = base->facts_;
  v1::Context replaced = change;
  replaced.clear_annotation();
  cutTexts(replaced);
  facts_.MergeFrom(replaced);
  for (const std::string& annotation : change.annotation()) {
    if (facts_.annotation_size() < kMaxAnnotations) {
      facts_.add_annotation(cut(annotation));
    } else {
      facts_.set_annotations_cut(facts_.annotations_cut() + 1);
    }
  }
  bytes_ = facts_.SerializeAsString();
  hash_ = DefinitionCache::hashOf(bytes_.data(), bytes_.size());
}

const Context* currentContext() noexcept {
  const Context* known = own;
  if (!known) {
    const ContextRef* given = givenContext();
    known = given ? given->get() : nullptr;
  }
  ContextOverlay* const more = overlay.load(std::memory_order_acquire);
  return more ? more->over(known) : known;
}

std::uint64_t enterContext(const v1::Context& change) {
  return entered().enter(change);
}

bool leaveContext(std::uint64_t entry) noexcept {
  try {
    return entered().leave(entry);
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void setContextCarrier(ContextCarrier& of_process) noexcept {
  carrier.store(&of_process, std::memory_order_release);
}

void setContextOverlay(ContextOverlay* of_process) noexcept {
  overlay.store(of_process, std::memory_order_release);
}

}  // namespace traced
