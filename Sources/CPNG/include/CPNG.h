#ifndef CAIRN_CPNG_H
#define CAIRN_CPNG_H

#include <stddef.h>
#include <stdint.h>

// libpng reports an error by a jump, which Swift must not see: here it is a message.

enum { CAIRN_PNG_MESSAGE_SIZE = 256 };

/// Decodes a PNG into bytes of red, green and blue, and of alpha if `channels` is 4.
///
/// The values are those of the file: gamma and color profiles are ignored, and of 16 bits the upper 8
/// are kept. Without `alpha` a transparent pixel has the color that the file gives it.
/// `pixels` has room for channels × width × height bytes; a file of another size is an error.
/// Returns 0 if the image does not decode; `message`, of CAIRN_PNG_MESSAGE_SIZE bytes, says why.
/// Any number of threads may call it.
int cairn_png_decode(
    const uint8_t *bytes, size_t size, uint32_t width, uint32_t height, int channels,
    uint8_t *pixels, char *message);

#endif
