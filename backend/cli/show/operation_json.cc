#include "absl/strings/escaping.h"
#include "analysis/stream/context_text.h"
#include "analysis/stream/names.h"
#include "cli/show/show_output.h"

namespace traced {
namespace {

void setInstant(Json& json, const char* key, Instant instant) {
  if (instant.known()) json[key] = instant.ns();
}

// Sets a field from a value plus 1; 0 means absent.
void setMinus1(Json& json, const char* key, std::uint64_t plus_1) {
  if (plus_1 > 0) json[key] = plus_1 - 1;
}

void setUnlessZero(Json& json, const char* key, std::uint64_t value) {
  if (value != 0) json[key] = value;
}

template <typename Runs>
Json tensorsJson(const Runs& runs) {
  Json json = Json::array();
  for (const v1::TensorRun& run : runs) {
    Json shape = Json::array();
    for (const std::int64_t extent : run.shape()) shape.push_back(extent);
    json.push_back({{"dtype", nameOf(run.dtype())},
                    {"shape", std::move(shape)},
                    {"count", run.count() == 0 ? 1 : run.count()}});
  }
  return json;
}

template <typename Splits>
void setSplits(Json& json, const char* key, const Splits& splits) {
  if (splits.empty()) return;
  Json& list = json[key] = Json::array();
  for (const std::int64_t split : splits) list.push_back(split);
}

void addCall(Json& json, const v1::Call& call) {
  setUnlessZero(json, "group_id", call.group());
  json["inputs"] = tensorsJson(call.input());
  json["outputs"] = tensorsJson(call.output());
  json["in_place"] = call.in_place();
  json["bytes_in"] = call.bytes_in();
  json["bytes_out"] = call.bytes_out();
  json["tensors_in"] = call.tensors_in();
  json["tensors_out"] = call.tensors_out();
  json["tensors_cut"] = call.tensors_cut();
  if (call.reduce_op()) json["reduce_op"] = nameOf(call.reduce_op());
  setMinus1(json, "root", call.root_plus_1());
  setMinus1(json, "root_global", call.root_global_plus_1());
  setMinus1(json, "peer", call.peer_plus_1());
  setMinus1(json, "peer_global", call.peer_global_plus_1());
  if (call.has_tag()) json["tag"] = call.tag();
  setSplits(json, "split_in", call.split_in());
  setSplits(json, "split_out", call.split_out());
  json["splits_cut"] = call.splits_cut();
  if (call.has_async()) json["async"] = call.async();
  if (call.has_timeout_ms()) json["timeout_ms"] = call.timeout_ms();
  if (call.device()) json["device"] = nameOf(call.device());
  if (call.has_device_index()) json["device_index"] = call.device_index();
  json["simulated"] = call.simulated();
  setMinus1(json, "graph", call.graph_plus_1());
}

void addContext(Json& json, const v1::Context& context) {
  if (context.annotation_size() > 0) {
    Json& list = json["annotations"] = Json::array();
    for (const std::string& name : context.annotation()) list.push_back(name);
    setUnlessZero(json, "annotations_cut", context.annotations_cut());
  }
  if (context.has_model()) {
    json["model"] = context.model();
    json["module"] = context.module();
    json["module_type"] = context.module_type();
  }
  if (context.phase()) json["phase"] = nameOf(context.phase());
  if (context.parent().empty()) return;
  json["parent"] = context.parent();
  json["parent_number"] = context.parent_number();
  if (context.has_parent_bytes()) json["parent_bytes"] = context.parent_bytes();
}

void addStack(Json& json, const StreamDefinitions& definitions,
              const v1::Stack& stack) {
  const std::string site = definitions.siteText(stack);
  if (!site.empty()) json["site"] = site;
  if (stack.has_handling()) json["handling"] = handlingText(stack);
  const auto frames = definitions.frames(stack);
  if (frames.empty()) return;
  Json& list = json["stack"] = Json::array();
  const v1::Frame unknown;
  for (const v1::Frame* known : frames) {
    const v1::Frame& frame = known ? *known : unknown;
    Json& added = list.emplace_back(
        Json{{"function", frame.function()}, {"file", frame.file()}});
    setUnlessZero(added, "line", frame.line());
  }
  setUnlessZero(json, "stack_cut", stack.cut());
}

Json codeJson(const v1::Code* code) {
  Json json = Json::object();
  if (!code) return json;
  if (!code->function().empty()) json["function"] = code->function();
  if (code->line() > 0)
    json.update({{"file", code->file()}, {"line", code->line()}});
  if (!code->binary().empty()) json["binary"] = code->binary();
  if (!code->build_id().empty()) {
    json["build_id"] = absl::BytesToHexString(code->build_id());
  }
  json["offset"] = code->offset();
  return json;
}

void addCppStack(Json& json, const StreamDefinitions& definitions,
                 const v1::Stack& stack) {
  if (stack.cpp().empty()) return;
  Json& list = json["cpp_stack"] = Json::array();
  for (const std::uint64_t id : stack.cpp()) {
    list.push_back(codeJson(definitions.code(id)));
  }
  if (stack.cpp_cut()) json["cpp_stack_cut"] = true;
}

void addInstants(Json& json, const AssembledOperation& op) {
  setInstant(json, "issue_ns", op.issued);
  setInstant(json, "return_ns", op.returned);
  setInstant(json, "start_ns", op.started);
  setInstant(json, "end_ns", op.ended);
  if (op.end_source) json["end_source"] = nameOf(op.end_source);
  setInstant(json, "wait_begin_ns", op.wait_began);
  setInstant(json, "wait_end_ns", op.wait_ended);
  setMinus1(json, "stall_ns", op.stall_ns_plus_1);
  setInstant(json, "release_ns", op.released);
}

void addBuffers(Json& json, const StreamDefinitions& definitions,
                const AssembledOperation& op) {
  if (op.buffers == 0) return;
  const auto buffers = definitions.buffers(op.buffers);
  if (!buffers) return;
  Json& list = json["buffers"] = Json::array();
  for (const v1::BufferRange& range : buffers->ranges) {
    list.push_back({{"storage", range.storage()},
                    {"offset_bytes", range.offset_bytes()},
                    {"span_bytes", range.span_bytes()}});
  }
  json["buffers_cut"] = buffers->cut;
}

void addMethod(Json& json, const StreamTable& table,
               const AssembledOperation& op) {
  const auto set = [&](const char* key, std::uint32_t text) {
    const std::string name = table.methodText(text);
    if (!name.empty()) json[key] = name;
  };
  set("algorithm", op.algorithm);
  set("protocol", op.protocol);
  setUnlessZero(json, "channels", op.channels);
}

}  // namespace

Json operationJson(const StreamTable& table, const AssembledOperation& op,
                   const ValuesOfOperation* values) {
  Json json = {{"op_id", op.id}, {"op", operationName(table, op)}};
  setUnlessZero(json, "seq", op.seq);
  setIf(json, "step", table.marks.stepOf(op.id));
  addInstants(json, op);
  json["state"] = nameOf(op.state());
  const std::string* error =
      op.error ? table.definitions.text(op.error) : nullptr;
  if (error) json["error"] = *error;
  if (const v1::Call* call = table.callOf(op)) addCall(json, *call);
  setUnlessZero(json, "batch", op.batch);
  if (const v1::Context* context = table.contextOf(op)) {
    addContext(json, *context);
  }
  if (const v1::Stack* stack = table.stackOf(op)) {
    addStack(json, table.definitions, *stack);
    addCppStack(json, table.definitions, *stack);
  }
  setUnlessZero(json, "thread", op.thread);
  const v1::Thread* thread = table.definitions.thread(op.thread);
  if (op.thread && thread) json["thread_name"] = thread->name();
  addBuffers(json, table.definitions, op);
  setMinus1(json, "source_rank", op.source_rank_plus_1);
  addMethod(json, table, op);
  if (values && values->inputs.elements() > 0) {
    json["input_values"] = toJson(values->inputs);
  }
  if (values && values->outputs.elements() > 0) {
    json["output_values"] = toJson(values->outputs);
  }
  return json;
}

}  // namespace traced
