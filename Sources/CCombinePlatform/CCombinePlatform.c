// All of it is in the header, to be inlined; a target needs a source file.
#include "CCombinePlatform.h"
