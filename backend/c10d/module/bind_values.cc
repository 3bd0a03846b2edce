// The hashes of a model's tensors, for traced.check_replicas().

#include "c10d/module/bindings.h"
#include "c10d/values/tensor_memory.h"
#include "recorder/recorder.h"

namespace py = pybind11;

namespace traced {
namespace {

// Returns whether it was recorded. May throw std::bad_alloc.
bool recordReplica(std::uint64_t check, std::uint32_t number,
                   const std::string& name, const std::string& ranks,
                   bool is_buffer, bool declared, const at::Tensor& tensor) {
  Recorder* const recorder = Recorder::current();
  if (!recorder) return false;
  const PartHash hash = hashOf(tensor);
  ReplicaRow row;
  row.check = check;
  row.tensor = number;
  row.is_buffer = is_buffer;
  row.declared = declared;
  row.bytes = byteSize({tensor, 0, 0, 0, tensor.numel()});
  row.hash = hash.hash;
  row.skipped = static_cast<std::uint32_t>(hash.skipped);
  recorder->replica(row, name.c_str(), ranks.c_str());
  return true;
}

}  // namespace

void bindValues(py::module_& module) {
  module.def("record_replica", &recordReplica, py::arg("check"),
             py::arg("number"), py::arg("name"), py::arg("ranks"),
             py::arg("is_buffer"), py::arg("declared"), py::arg("tensor"),
             py::call_guard<py::gil_scoped_release>(),
             "Records the hash of a tensor. Returns False without a recorder.");
}

}  // namespace traced
