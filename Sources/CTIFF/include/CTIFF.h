#ifndef CAIRN_CTIFF_H
#define CAIRN_CTIFF_H

#include <stddef.h>
#include <stdint.h>

// libtiff, where it is installed: it is looked for when the first image is decoded. What is used of it is
// declared in the implementation, after tiffio.h of version 4.5; all of it is there since 4.0.

enum { CAIRN_TIFF_MESSAGE_SIZE = 256 };

typedef struct cairn_tiff cairn_tiff;

/// Whether the library is installed.
int cairn_tiff_is_installed(void);

/// Opens the first image of a file, whose bytes must outlive it; null when it cannot be read. `message`, of
/// CAIRN_TIFF_MESSAGE_SIZE bytes, must too, and gets the reason of every failure.
cairn_tiff *cairn_tiff_open(const uint8_t *bytes, size_t size, char *message);

void cairn_tiff_close(cairn_tiff *tiff);

/// Decodes a strip, or a tile, into at most `size` bytes, with samples in the order of this machine's bytes.
/// Returns their number; -1 when it does not decode.
ptrdiff_t cairn_tiff_read_strip(cairn_tiff *tiff, uint32_t index, uint8_t *buffer, size_t size);
ptrdiff_t cairn_tiff_read_tile(cairn_tiff *tiff, uint32_t index, uint8_t *buffer, size_t size);

/// Decodes an image of any kind that libtiff can convert into red (the lowest byte), green, blue, and alpha, by
/// which the others are multiplied, neither turned nor mirrored. `orientation` is the one in the file.
/// Returns 0 when it does not decode, or libtiff reads another size in the file.
int cairn_tiff_read_rgba(
    cairn_tiff *tiff, uint32_t width, uint32_t height, int orientation, uint32_t *pixels);

#endif
