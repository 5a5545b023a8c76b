#ifndef CBROWSER_H
#define CBROWSER_H

#include <stdint.h>

#define BROWSER_IMPORT(name) __attribute__((import_module("browser"), import_name(name)))

/// Sends a text in UTF-8 to the page, which reads it before the call returns.
BROWSER_IMPORT("receive") void browser_send(const char *text, int32_t length);

#endif
