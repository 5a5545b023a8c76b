#include "CMemory.h"

#include <stdio.h>
#include <unistd.h>

#if defined(__GLIBC__)
#include <malloc.h>

void memory_prepare(void) { mallopt(M_ARENA_MAX, 1); }

int64_t memory_heap(void) {
  struct mallinfo2 information = mallinfo2();
  return (int64_t)(information.uordblks + information.hblkhd);
}

#else

void memory_prepare(void) {}

int64_t memory_heap(void) { return -1; }

#endif

int64_t memory_resident(void) {
  int64_t pages = -1;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL) return -1;
  if (fscanf(file, "%*d %ld", &pages) != 1) pages = -1;
  fclose(file);
  return pages < 0 ? -1 : pages * sysconf(_SC_PAGESIZE);
}
