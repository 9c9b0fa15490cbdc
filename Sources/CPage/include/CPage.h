#ifndef CPAGE_H
#define CPAGE_H
#include <stddef.h>

/// A file of the page.
typedef struct {
  const char *name;
  const unsigned char *bytes;
  size_t count;
} CPageFile;

/// Returns the number of files.
size_t cpage_count(void);

/// Returns a file; the index is less than `cpage_count()`.
CPageFile cpage_file(size_t index);

/// Returns the base map: Natural Earth 1:50m, in the format of Sources/CPage/base-map.md.
CPageFile cpage_base_map(void);

/// Returns the OpenAPI document of the API.
CPageFile cpage_openapi(void);

#endif
