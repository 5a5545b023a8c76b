#ifndef CMEMORY_H
#define CMEMORY_H

#include <stdint.h>

// Makes the figures below exact: one heap for all threads. To be called before there is a second thread.
void memory_prepare(void);

// The bytes that are allocated on the heap; -1 where that cannot be read.
int64_t memory_heap(void);

// The bytes that are resident; -1 where that cannot be read.
int64_t memory_resident(void);

#endif
