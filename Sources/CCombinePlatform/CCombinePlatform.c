// Almost all functions are in the headers, so that they can be inlined.
#include "CCombinePlatform.h"

#if defined(_WIN32)

static _Thread_local uint8_t delivery;

uint8_t combine_unrequested_delivery(void) { return delivery; }

void combine_set_unrequested_delivery(uint8_t kind) { delivery = kind; }

#else

_Thread_local uint8_t combine_unrequested_delivery_of_thread = 0;

#endif
