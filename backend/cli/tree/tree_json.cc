#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/tree/tree_output.h"
#include "phrasing/warnings.h"

namespace traced {
namespace {

// Field names of CommDebugMode; phases that it does not distinguish have
// similar names. Its viewer requires all fields of every node and operation, so
// fields unknown to a trace are present and empty.
constexpr const char* kCollectives[] = {
    "collectives_other", "collectives_forward", "collectives_backward",
    "collectives_checkpointing", "collectives_optimizer"};
constexpr const char* kOperations[] = {
    "operations_other", "operations_forward", "operations_backward",
    "operations_checkpointing", "operations_optimizer"};
static_assert(std::size(kCollectives) == v1::Phase_ARRAYSIZE);

Json sumsJson(const ModuleSums& sums) {
  return {
      {"count", sums.calls},         {"bytes_in", sums.bytes_in},
      {"bytes_out", sums.bytes_out}, {"bytes", sums.bytes},
      {"host", toJson(sums.host)},   {"completion", toJson(sums.completion)},
      {"wait", toJson(sums.wait)},   {"waits_unknown", sums.waits_unknown}};
}

void setUnlessEmpty(Json& json, const char* key, const std::string& text) {
  if (!text.empty()) json[key] = text;
}

Json callJson(const ModuleCall& call, const ModuleSums& sums) {
  Json json = {{"name", call.op}};
  setUnlessEmpty(json, "reason", call.reason);
  setUnlessEmpty(json, "group", call.group);
  setUnlessEmpty(json, "dtype", call.dtype);
  setUnlessEmpty(json, "size", call.size);
  setUnlessEmpty(json, "shape", call.shape);
  json["input_shape"] =
      call.shape.empty() ? Json::array() : Json::array({call.shape});
  json["input_sharding"] = Json::array();
  json["device_mesh"] = "";
  json.update(sumsJson(sums));
  return json;
}

class TreeJson {
 public:
  explicit TreeJson(const TreeOutput& output)
      : nodes_(output.tree.nodes()), level_(output.level) {}

  // Counts of a node with its subtree, by phase and operation.
  using Counts =
      std::array<std::map<std::string, std::uint64_t>, v1::Phase_ARRAYSIZE>;
  struct Part {
    Json json;
    Counts counts;
  };

  Part node(std::size_t index, const std::string& fqn) const {
    const ModuleNode& node = nodes_[index];
    Part part;
    for (const auto& [call, sums] : node.calls) {
      part.counts[call.phase][call.op] += sums.calls;
    }
    Json children = Json::array();
    for (const std::size_t child : node.children) {
      const std::string& name = nodes_[child].name;
      Part below = this->node(child, index == ModuleTree::kRoot
                                         ? name
                                         : absl::StrCat(fqn, ".", name));
      children.push_back(std::move(below.json));
      for (std::size_t phase = 0; phase < part.counts.size(); ++phase) {
        for (const auto& [op, calls] : below.counts[phase]) {
          part.counts[phase][op] += calls;
        }
      }
    }
    part.json["fqn"] = fqn;
    part.json["module_type"] = node.module_type;
    part.json["parameters"] = Json::array();
    part.json["children"] = std::move(children);
    addPhases(part.json, node, part.counts);
    addOperations(part.json, node);
    return part;
  }

 private:
  static void addPhases(Json& json, const ModuleNode& node,
                        const Counts& counts) {
    Json phases = Json::object();
    for (std::size_t phase = 0; phase < counts.size(); ++phase) {
      Json& list = json[kCollectives[phase]] = Json::array();
      for (const auto& [op, calls] : counts[phase]) {
        list.push_back(Json::array({op, calls}));
      }
      const ModuleSums& sums = node.phases[phase];
      if (sums.calls > 0) phases[phaseName(phase)] = sumsJson(sums);
    }
    json["phases"] = std::move(phases);
  }

  void addOperations(Json& json, const ModuleNode& node) const {
    for (const char* key : kOperations) json[key] = Json::array();
    if (level_ == 0) return;
    for (const auto& [call, sums] : node.calls) {
      json[kOperations[call.phase]].push_back(callJson(call, sums));
    }
  }

  const std::vector<ModuleNode>& nodes_;
  const int level_;
};

}  // namespace

Json treeJson(const TreeOutput& output) {
  Json json = {{"schema", kJsonSchema},
               {"title", output.title},
               {"world_size", output.summary.worldSize()},
               {"ranks", output.ranks},
               {"level", output.level}};
  json.update(TreeJson(output).node(ModuleTree::kRoot, "Global").json);
  json["notes"] = treeNotes(output);
  addRecording(json, output.summary);
  addFromRings(json, output.summary);
  json["lost"] = lostJson(output.set, output.summary);
  json["warnings"] = allWarnings(output.set, output.summary);
  return json;
}

}  // namespace traced
