#ifndef CAIRN_CFILES_H
#define CAIRN_CFILES_H

// Renames a file in an open directory to a name in another one, unless something has that name. Returns
// -1 on failure, and sets errno: to EINVAL, ENOSYS or ENOTSUP if the system or the file system cannot
// do that.
int cairn_rename_new(int directory, const char *name, int new_directory, const char *new_name);

#endif
