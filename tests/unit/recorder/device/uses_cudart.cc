// A library that is linked to a CUDA runtime.

extern "C" int cudaGetLastError();

extern "C" [[gnu::visibility("default")]] int lastError() {
  return cudaGetLastError();
}
