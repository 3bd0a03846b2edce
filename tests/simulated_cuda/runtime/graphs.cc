// The runtime's graph functions. A replay runs the work on one stream, in the
// order of the calls.

#include <cstdio>

#include "runtime/calls.h"
#include "runtime/captures.h"

struct CUgraphExec_st {
  std::vector<simulated::Work> work;
  std::vector<simulated::UserObject*> kept;
};

namespace {

using simulated::UserObject;

void release(UserObject* object, unsigned count) {
  object->references -= count;
  if (object->references) return;
  object->destroy(object->object);
  delete object;
}

// Destroys a graph or an executable graph.
template <typename Graph>
void destroy(Graph* graph) {
  if (!graph) return;
  for (auto* object : graph->kept) release(object, 1);
  delete graph;
}

UserObject* objectOf(cudaUserObject_t handle) {
  return reinterpret_cast<UserObject*>(handle);
}

}  // namespace

extern "C" {

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* out,
                                          cudaGraph_t graph,
                                          unsigned long long) {
  SIMULATED_CALL
  *out = new CUgraphExec_st{graph->work, graph->kept};
  for (auto* object : graph->kept) ++object->references;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* out, cudaGraph_t graph,
                                 unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(out, graph, flags);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t handle) {
  SIMULATED_CALL
  auto* stream = simulated::streamOf(handle);
  for (const auto& work : graph->work) {
    if (const auto error = simulated::enqueue(stream, work)) return error;
  }
  return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t*,
                              size_t* count) {
  SIMULATED_CALL
  *count = graph->work.size();
  return cudaSuccess;
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path,
                                   unsigned) {
  SIMULATED_CALL
  std::FILE* file = std::fopen(path, "w");
  if (!file) return simulated::remember(cudaErrorOperatingSystem);
  std::fputs("digraph simulated {\n", file);
  for (size_t i = 0; i < graph->work.size(); ++i) {
    std::fprintf(file, "n%zu [style=\"rounded\"]\n", i);
  }
  std::fputs("}\n", file);
  std::fclose(file);
  return cudaSuccess;
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t* out, void* object,
                                 cudaHostFn_t destroy, unsigned references,
                                 unsigned) {
  SIMULATED_CALL
  *out = reinterpret_cast<cudaUserObject_t>(
      new UserObject{object, destroy, references});
  return cudaSuccess;
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  SIMULATED_CALL
  release(objectOf(object), count);
  return cudaSuccess;
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph,
                                      cudaUserObject_t handle, unsigned count,
                                      unsigned flags) {
  SIMULATED_CALL
  auto* object = objectOf(handle);
  if (!(flags & cudaGraphUserObjectMove)) object->references += count;
  graph->kept.insert(graph->kept.end(), count, object);
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  SIMULATED_CALL
  destroy(graph);
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  SIMULATED_CALL
  destroy(graph);
  return cudaSuccess;
}

}  // extern "C"
