// Defines the LTTng-UST event that peers_bench emits. LTTng's headers include
// this file several times, hence the unusual guard.

#undef TRACEPOINT_PROVIDER
#define TRACEPOINT_PROVIDER traced_bench

#undef TRACEPOINT_INCLUDE
#define TRACEPOINT_INCLUDE "micro/lttng_event.h"

#if !defined(TRACED_BENCH_MICRO_LTTNG_EVENT_H) || \
    defined(TRACEPOINT_HEADER_MULTI_READ)
#define TRACED_BENCH_MICRO_LTTNG_EVENT_H

#include <lttng/tracepoint.h>

// clang-format off
TRACEPOINT_EVENT(
    traced_bench, event,
    TP_ARGS(int, a, int, b, int, c, int, d, int, e),
    TP_FIELDS(ctf_integer(int, a, a) ctf_integer(int, b, b)
              ctf_integer(int, c, c) ctf_integer(int, d, d)
              ctf_integer(int, e, e)))
// clang-format on

#endif

#include <lttng/tracepoint-event.h>
