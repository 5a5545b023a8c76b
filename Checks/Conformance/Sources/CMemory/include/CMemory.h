#ifndef CMEMORY_H
#define CMEMORY_H

#include <stdint.h>

// Makes the figures below exact by using one heap for all threads. Call it before there is a second thread.
void memory_prepare(void);

// Returns the number of bytes allocated on the heap, or -1 if it is not available.
int64_t memory_heap(void);

// Returns the number of resident bytes, or -1 if it is not available.
int64_t memory_resident(void);

#endif
