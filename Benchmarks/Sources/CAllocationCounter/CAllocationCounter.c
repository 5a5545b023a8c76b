// Takes the place of the C library's allocation functions in this process: each counts, then does the real thing.
//
// The dynamic linker finds a symbol of the executable before that of a library, so that every allocation comes through
// here: Swift's, C++'s and C's, of the runtime and of whatever is linked, statically or not.

#include "CAllocationCounter.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static atomic_int_fast64_t count;

// Off while time is measured, so that an allocation then costs one more load and branch, and no atomic addition.
static atomic_bool is_counting;

void allocation_counter_start(void) {
  atomic_store(&count, 0);
  atomic_store(&is_counting, true);
}

int64_t allocation_counter_stop(void) {
  atomic_store(&is_counting, false);
  return atomic_load(&count);
}

#if defined(__GLIBC__)

static inline void note_allocation(void) {
  if (atomic_load_explicit(&is_counting, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  }
}

bool allocation_counter_is_available(void) { return true; }

// The names under which glibc exports its own functions. What they return is for glibc's `free`, which is left alone.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  note_allocation();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  note_allocation();
  return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
  note_allocation();
  return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
  note_allocation();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note_allocation();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  note_allocation();
  void *block = __libc_memalign(alignment, size);
  if (block == NULL) return ENOMEM;
  *result = block;
  return 0;
}

#else

bool allocation_counter_is_available(void) { return false; }

#endif

int64_t allocation_counter_allocate_known(void) {
  enum { rounds = 100, functions = 5 };
  // The compiler may leave out an allocation that nobody looks at; it must store to a volatile.
  void *volatile block;
  for (int round = 0; round < rounds; round++) {
    block = malloc(48);
    block = realloc(block, 4096);
    free(block);
    block = calloc(3, 16);
    free(block);
    block = aligned_alloc(64, 128);
    free(block);
    void *aligned = NULL;
    if (posix_memalign(&aligned, 64, 128) == 0) block = aligned;
    free(block);
  }
  return rounds * functions;
}
