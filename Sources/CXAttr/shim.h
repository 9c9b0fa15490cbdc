#ifndef CAIRN_CXATTR_SHIM_H
#define CAIRN_CXATTR_SHIM_H

// Swift's module of the C library leaves this header out.
#include <sys/types.h>
#include <sys/xattr.h>

#endif
