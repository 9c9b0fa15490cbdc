#ifndef CAIRN_CWEBP_SHIM_H
#define CAIRN_CWEBP_SHIM_H

#include <webp/decode.h>

#endif
