#include "CXAttr.h"

#ifdef __linux__
#include <sys/xattr.h>

long cairn_attribute(int file, const char *name, void *value, unsigned long size) {
  return fgetxattr(file, name, value, size);
}

int cairn_set_attribute(int file, const char *name, const void *value, unsigned long size) {
  return fsetxattr(file, name, value, size, 0);
}
#else
// On macOS, an attribute would become another file on a disk without them.
long cairn_attribute(int file, const char *name, void *value, unsigned long size) {
  (void)file, (void)name, (void)value, (void)size;
  return -1;
}

int cairn_set_attribute(int file, const char *name, const void *value, unsigned long size) {
  (void)file, (void)name, (void)value, (void)size;
  return -1;
}
#endif
