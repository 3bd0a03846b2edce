// Checks the NVTX types of NvtxRanges against NVTX's own headers. Compiled only
// if they are installed.

#include <cstddef>

#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include "recorder/ranges/nvtx_ranges.h"

namespace traced {

using Nvtx = NvtxRanges;

#define SAME(ours, our_field, theirs, their_field)                            \
  static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field) && \
                sizeof(ours::our_field) == sizeof(theirs::their_field))

static_assert(sizeof(Nvtx::Data) == sizeof(nvtxPayloadData_t));
SAME(Nvtx::Data, schema, nvtxPayloadData_t, schemaId);
SAME(Nvtx::Data, size, nvtxPayloadData_t, size);
SAME(Nvtx::Data, payload, nvtxPayloadData_t, payload);

static_assert(sizeof(Nvtx::Entry) == sizeof(nvtxPayloadSchemaEntry_t));
SAME(Nvtx::Entry, flags, nvtxPayloadSchemaEntry_t, flags);
SAME(Nvtx::Entry, type, nvtxPayloadSchemaEntry_t, type);
SAME(Nvtx::Entry, name, nvtxPayloadSchemaEntry_t, name);
SAME(Nvtx::Entry, offset, nvtxPayloadSchemaEntry_t, offset);

static_assert(sizeof(Nvtx::Schema) == sizeof(nvtxPayloadSchemaAttr_t));
SAME(Nvtx::Schema, field_mask, nvtxPayloadSchemaAttr_t, fieldMask);
SAME(Nvtx::Schema, name, nvtxPayloadSchemaAttr_t, name);
SAME(Nvtx::Schema, type, nvtxPayloadSchemaAttr_t, type);
SAME(Nvtx::Schema, entries, nvtxPayloadSchemaAttr_t, entries);
SAME(Nvtx::Schema, entry_count, nvtxPayloadSchemaAttr_t, numEntries);
SAME(Nvtx::Schema, static_size, nvtxPayloadSchemaAttr_t, payloadStaticSize);

static_assert(Nvtx::kInt64 == NVTX_PAYLOAD_ENTRY_TYPE_INT64);
static_assert(Nvtx::kUint64 == NVTX_PAYLOAD_ENTRY_TYPE_UINT64);
static_assert(Nvtx::kRegistered ==
              NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE);
static_assert(Nvtx::kCString == NVTX_PAYLOAD_ENTRY_TYPE_CSTRING);
static_assert(Nvtx::kIsMessage == NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE);
static_assert(Nvtx::kStatic == NVTX_PAYLOAD_SCHEMA_TYPE_STATIC);
static_assert(Nvtx::kFieldMask == (NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME |
                                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE));

}  // namespace traced
