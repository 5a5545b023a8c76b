// The C client of NATS, a library of the system.
#include <nats/nats.h>
