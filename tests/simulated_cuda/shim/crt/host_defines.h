// The part of the CUDA toolkit's header of this name that NVIDIA's wheels need.
// The wheels do not contain it.

#pragma once

#define __host__
#define __device__
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __inline_hint__
#define __specialization_static
#define __cudaCDP2_
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDAAPI
#define CUDART_CB
