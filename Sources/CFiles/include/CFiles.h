#ifndef CAIRN_CFILES_H
#define CAIRN_CFILES_H

// Functions for files that Swift does not import, or that each system has in its own way. Those that
// a system does not have fail with ENOSYS.

// Renames a file in an open directory to a name in another one, unless something has that name. Returns
// -1 on failure, and sets errno: to EINVAL, ENOSYS or ENOTSUP if the system or the file system cannot
// do that.
int cairn_rename_new(int directory, const char *name, int new_directory, const char *new_name);

// Makes all writes so far to the file system of an open file durable; returns 0, or -1, also if a write
// has failed since the file was opened.
int cairn_sync_file_system(int file);

// Copies at most `size` bytes of an extended attribute of an open file; returns its size, or -1.
long cairn_attribute(int file, const char *name, void *value, unsigned long size);

// Sets an extended attribute of an open file; returns 0, or -1.
int cairn_set_attribute(int file, const char *name, const void *value, unsigned long size);

#endif
