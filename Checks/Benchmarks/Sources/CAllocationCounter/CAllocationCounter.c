// Replaces the C library's allocation functions in this process. Each function counts and then forwards the call.
//
// The dynamic linker finds a symbol of the executable before that of a library. So every allocation arrives here: those
// of Swift, C++ and C, of the runtime and of all libraries, whether linked statically or not.

#include "CAllocationCounter.h"

#include <errno.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static atomic_int_fast64_t count;
static atomic_int_fast64_t bytes;

// Off while time is measured, so that an allocation then costs one more load and branch, and no atomic addition.
static atomic_bool is_counting;

void allocation_counter_start(void) {
  atomic_store(&count, 0);
  atomic_store(&bytes, 0);
  atomic_store(&is_counting, true);
}

allocations allocation_counter_stop(void) {
  atomic_store(&is_counting, false);
  return (allocations){.count = atomic_load(&count), .bytes = atomic_load(&bytes)};
}

#if defined(__GLIBC__)

static inline bool must_count(void) { return atomic_load_explicit(&is_counting, memory_order_relaxed); }

// The heap memory of a block: its usable size, and the word before it in which glibc keeps the size.
static inline int64_t size_of(void *block) {
  return block == NULL ? 0 : (int64_t)(malloc_usable_size(block) + sizeof(size_t));
}

static inline void *note_allocation(void *block) {
  if (must_count()) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes, size_of(block), memory_order_relaxed);
  }
  return block;
}

static inline void note_release(void *block) {
  if (must_count()) atomic_fetch_sub_explicit(&bytes, size_of(block), memory_order_relaxed);
}

bool allocation_counter_is_available(void) { return true; }

// The names under which glibc exports the original functions.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

void *malloc(size_t size) { return note_allocation(__libc_malloc(size)); }

void *calloc(size_t number, size_t size) { return note_allocation(__libc_calloc(number, size)); }

void *realloc(void *block, size_t size) {
  note_release(block);
  return note_allocation(__libc_realloc(block, size));
}

void *memalign(size_t alignment, size_t size) { return note_allocation(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) { return note_allocation(__libc_memalign(alignment, size)); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *block = note_allocation(__libc_memalign(alignment, size));
  if (block == NULL) return ENOMEM;
  *result = block;
  return 0;
}

void free(void *block) {
  note_release(block);
  __libc_free(block);
}

#else

bool allocation_counter_is_available(void) { return false; }

#endif

int64_t allocation_counter_allocate_known(void) {
  enum { rounds = 100, functions = 5 };
  // The compiler may remove an allocation that is never used, but must store to a volatile variable.
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
