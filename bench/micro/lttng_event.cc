#define TRACEPOINT_CREATE_PROBES
#define TRACEPOINT_DEFINE
#include "micro/lttng_event.h"
