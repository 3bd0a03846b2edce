// The callbacks of operations, for traced.on_operation().

#include <torch/csrc/utils/pybind.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/group_label.h"
#include "c10d/callbacks/observers.h"
#include "c10d/module/bindings.h"
#include "ring_io/chunks/operation_summary.h"

namespace py = pybind11;

namespace traced {
namespace {

// The function of Python that receives an event: the id of a registration, and
// the fields of traced.OperationEvent. Returns the class of an exception that
// the program must receive, or None. Never freed.
PyObject* pass_to_python = nullptr;

// The Python objects that describe a group.
struct GroupObjects {
  py::object label;
  py::object ranks;
};

// Returns the objects of a group, which are made once. Requires the GIL.
const GroupObjects& objectsOf(const std::shared_ptr<const GroupInfo>& group) {
  using Known =
      std::map<std::weak_ptr<const GroupInfo>, GroupObjects, std::owner_less<>>;
  static auto* const known = new Known;
  const auto found = known->find(group);
  if (found != known->end()) return found->second;
  std::erase_if(*known, [](const auto& each) { return each.first.expired(); });
  GroupObjects made{py::str(groupLabel(group->name, group->desc)),
                    py::tuple(py::cast(group->members))};
  return known->emplace(group, std::move(made)).first->second;
}

py::object rankOrNone(std::int64_t rank) {
  if (rank < 0) return py::none();
  return py::int_(rank);
}

py::object rankOf(const GroupInfo& group) {
  if (group.group_rank >= group.members.size()) return py::none();
  return py::int_(group.members[group.group_rank]);
}

py::object asyncOf(const CallDescription::Fields& fields) {
  if (fields.async_plus_1 == 0) return py::none();
  return py::bool_(fields.async_plus_1 == 2);
}

// Returns the shapes and the types, as two tuples.
std::pair<py::tuple, py::tuple> described(
    const std::vector<CallShapes::Tensor>& tensors) {
  py::tuple shapes(tensors.size());
  py::tuple types(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    shapes[i] = py::tuple(py::cast(tensors[i].shape));
    types[i] = py::cast(tensors[i].type);
  }
  return {shapes, types};
}

// Returns new aliases: a Python object that is kept by one of the call's own
// would be freed by the thread that drops the call.
py::object aliasesOf(const CallTensors::TensorLists& lists) {
  py::list aliases;
  for (const CallTensors::Tensors& tensors : lists) {
    for (const at::Tensor& tensor : tensors) {
      if (tensor.defined()) aliases.append(CallTensors::aliasOf(tensor));
    }
  }
  return py::tuple(aliases);
}

// Returns the fields of traced.OperationEvent, in their order.
py::tuple fieldsOf(const CallEvent& event, bool with_tensors) {
  const ObservedCall& call = *event.call;
  const GroupObjects& group = objectsOf(call.group);
  const auto [input_shapes, input_types] = described(call.shapes.inputs());
  const auto [output_shapes, output_types] = described(call.shapes.outputs());
  const py::object seq =
      call.seq == 0 ? py::object(py::none()) : py::int_(call.seq);
  const py::object inputs = with_tensors ? aliasesOf(event.tensors.inputLists())
                                         : py::object(py::none());
  const py::object outputs = with_tensors
                                 ? aliasesOf(event.tensors.outputLists())
                                 : py::object(py::none());
  return py::make_tuple(
      event.is_end ? "end" : "issue", operationName(call.op), group.label,
      group.ranks, rankOf(*call.group), seq,
      rankOrNone(call.fields.peer_global), rankOrNone(call.fields.root_global),
      asyncOf(call.fields), call.shapes.device(),
      std::max(call.fields.bytes_in, call.fields.bytes_out), input_shapes,
      input_types, output_shapes, output_types, inputs, outputs, event.failed);
}

// A thread that takes the GIL during finalization never returns.
bool isFinalizing() noexcept {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

// Python's threads, autograd's and those that run a callback of Python have a
// thread state. An engine's own thread has none.
bool mayCallPython() noexcept {
  return Py_IsInitialized() && !isFinalizing() &&
         PyGILState_GetThisThreadState() != nullptr;
}

bool holdsGil() noexcept { return PyGILState_Check() != 0; }

// Returns the arguments of pass_to_python for each callback of an event. The
// program may have changed the tensors of a queued one, so it shows none.
std::vector<std::pair<std::uint64_t, py::tuple>> callsFor(
    const CallEvent& event, bool is_queued) {
  std::vector<std::pair<std::uint64_t, py::tuple>> calls;
  for (const auto& registration : event.call->registrations) {
    calls.emplace_back(
        registration->id,
        fieldsOf(event, registration->filter.tensors && !is_queued));
  }
  return calls;
}

// Calls Python, which reports the errors of callbacks itself.
void callPython(const CallEvent& event) noexcept {
  const py::gil_scoped_acquire held;
  const py::error_scope handled;
  bool interrupted = false;
  py::object raised;
  try {
    const py::handle pass(pass_to_python);
    for (const auto& [id, fields] : callsFor(event, /*is_queued=*/false)) {
      const py::object error = pass(id, fields);
      if (!error.is_none()) raised = error;
    }
  } catch (py::error_already_set& error) {
    interrupted = error.matches(PyExc_KeyboardInterrupt);
    if (!interrupted) countDropped(*event.call);
  } catch (...) {  // out of memory
    countDropped(*event.call);
  }
  // The engine's call must not fail, so the exception reaches the program when
  // this thread runs Python again, like a signal during the call.
  if (interrupted) PyErr_SetInterrupt();
  if (raised) {
    PyThreadState_SetAsyncExc(PyThread_get_thread_ident(), raised.ptr());
  }
}

std::vector<std::string> operationNames() {
  std::vector<std::string> names;
  for (int op = 1; op <= static_cast<int>(Operation::kReconfigure); ++op) {
    names.emplace_back(operationName(static_cast<Operation>(op)));
  }
  return names;
}

// Throws ValueError if there is none.
Operation operationNamed(const std::string& name) {
  const std::vector<std::string> names = operationNames();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw py::value_error(name);
  return static_cast<Operation>(1 + (found - names.begin()));
}

// The object of this process. It outlives close(), for the queued events.
// Guarded by the GIL.
Observers* in_use = nullptr;

using RegistrationPtr = std::shared_ptr<Registration>;

RegistrationPtr observe(const py::function& pass,
                        const std::vector<std::string>& ops,
                        const std::vector<std::string>& groups,
                        std::uint64_t every, std::uint64_t seq, bool tensors) {
  Registration::Filter filter;
  for (const std::string& name : ops) filter.ops.insert(operationNamed(name));
  filter.groups = {groups.begin(), groups.end()};
  filter.every = every;
  filter.seq = seq;
  filter.tensors = tensors;
  if (!pass_to_python) pass_to_python = py::object(pass).release().ptr();
  in_use = &Observers::ofProcess({&mayCallPython, &holdsGil, &callPython});
  return in_use->add(std::move(filter));
}

void stopObserving(const RegistrationPtr& registration) {
  Observers* const observers = Observers::current();
  if (observers) observers->remove(registration);
}

py::object takeEvent() {
  Observers* const observers = in_use;
  // Not gil_scoped_release: during finalization PyEval_RestoreThread() ends the
  // thread, which a destructor must not do.
  PyThreadState* const state = PyEval_SaveThread();
  std::optional<CallEvent> event = observers->takeQueued();
  PyEval_RestoreThread(state);
  if (!event) return py::none();
  try {
    return py::cast(callsFor(*event, /*is_queued=*/true));
  } catch (...) {
    countDropped(*event->call);
    throw;
  }
}

}  // namespace

void bindOperations(py::module_& module) {
  py::class_<Registration, RegistrationPtr>(module, "ObservedOperations",
                                            "A registered callback.")
      .def_readonly("id", &Registration::id)
      .def_property_readonly(
          "dropped",
          [](const Registration& self) { return self.dropped.load(); })
      .def("remove", &stopObserving);
  module.def("operation_names", &operationNames,
             "Returns the names of the operations that can be observed.");
  module.def("observe_operations", &observe, py::arg("call"), py::arg("ops"),
             py::arg("groups"), py::arg("every"), py::arg("seq"),
             py::arg("tensors"),
             "Registers a callback. `call` gets the id of a callback and the "
             "fields of an event; the first one is used for all. Empty lists "
             "and seq 0 select all.");
  module.def("take_operation_event", &takeEvent,
             "Blocks until an event is queued. Returns the arguments of `call` "
             "for each of its callbacks, or None if closed and empty.");
  module.def(
      "close_operations",
      [] {
        if (Observers* const observers = Observers::current()) {
          observers->close();
        }
      },
      "Passes no further events, except queued ones.");
  module.def(
      "abandon_operations",
      [] {
        if (in_use) in_use->queue().abandon();
      },
      "Lets take_operation_event block forever, because Python exits.");
}

}  // namespace traced
