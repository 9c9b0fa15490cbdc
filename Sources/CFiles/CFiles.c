#define _GNU_SOURCE
#include "CFiles.h"

#include <errno.h>
#include <stdio.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <unistd.h>
#endif

int cairn_rename_new(int directory, const char *name, int new_directory, const char *new_name) {
#if defined(__APPLE__)
  return renameatx_np(directory, name, new_directory, new_name, RENAME_EXCL);
#elif defined(SYS_renameat2)
  // The C library may have no function for it. Source: renameat2(2), RENAME_NOREPLACE.
  const unsigned no_replace = 1;
  return (int)syscall(SYS_renameat2, directory, name, new_directory, new_name, no_replace);
#else
  (void)directory, (void)name, (void)new_directory, (void)new_name;
  errno = ENOSYS;
  return -1;
#endif
}

// Before Linux 5.17, errors were not always reported. Source: Linux, commit 5679897eb104, “vfs: make
// sync_filesystem return errors from ->sync_fs”.
int cairn_sync_file_system(int file) {
#ifdef __linux__
  struct utsname system;
  int major = 0, minor = 0;
  if (uname(&system) == 0 && sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
      (major > 5 || (major == 5 && minor >= 17)))
    return syncfs(file);
#else
  (void)file;
#endif
  errno = ENOSYS;
  return -1;
}

// Not on macOS: on a disk without them, an attribute would become another file.
long cairn_attribute(int file, const char *name, void *value, unsigned long size) {
#ifdef __linux__
  return fgetxattr(file, name, value, size);
#else
  (void)file, (void)name, (void)value, (void)size;
  errno = ENOSYS;
  return -1;
#endif
}

int cairn_set_attribute(int file, const char *name, const void *value, unsigned long size) {
#ifdef __linux__
  return fsetxattr(file, name, value, size, 0);
#else
  (void)file, (void)name, (void)value, (void)size;
  errno = ENOSYS;
  return -1;
#endif
}
