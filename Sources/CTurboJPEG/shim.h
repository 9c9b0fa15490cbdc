#ifndef CAIRN_CTURBOJPEG_SHIM_H
#define CAIRN_CTURBOJPEG_SHIM_H

// The interface that returns its errors, where libjpeg's own would jump over the caller.
#include <turbojpeg.h>

#endif
