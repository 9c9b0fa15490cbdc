#ifndef CAIRN_CXATTR_H
#define CAIRN_CXATTR_H

// The C library's functions for extended attributes, which Swift's module of it leaves out. Where there
// are none, they fail.

/// Copies at most `size` bytes of an attribute of an open file; returns its size, or -1.
long cairn_attribute(int file, const char *name, void *value, unsigned long size);
/// Sets an attribute of an open file; returns 0, or -1.
int cairn_set_attribute(int file, const char *name, const void *value, unsigned long size);

#endif
