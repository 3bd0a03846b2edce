// Writes the runs of tests/golden for the Python tests:  golden_runs DIR

#include "unit/cli/golden_runs.h"

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s DIR\n", argv[0]);
    return 2;
  }
  traced::testing::writeGoldenRuns(argv[1]);
}
