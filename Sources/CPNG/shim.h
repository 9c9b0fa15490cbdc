#ifndef CAIRN_CPNG_SHIM_H
#define CAIRN_CPNG_SHIM_H

// Only png_image_… is used: it returns its errors, where the rest of libpng would jump over the caller.
#include <png.h>

#endif
