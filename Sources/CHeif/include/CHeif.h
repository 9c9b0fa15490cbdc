#ifndef CAIRN_CHEIF_H
#define CAIRN_CHEIF_H

#include <stddef.h>
#include <stdint.h>

// libheif, where it is installed: it is looked for when the first image is decoded. What is used of it
// is declared in the implementation, after heif.h of version 1.15; all of it is there since 1.0.

typedef enum {
  CAIRN_HEIF_DECODED,
  /// The library is not installed.
  CAIRN_HEIF_MISSING,
  /// The image does not decode; `message` says why.
  CAIRN_HEIF_BROKEN,
} cairn_heif_status;

enum { CAIRN_HEIF_MESSAGE_SIZE = 256 };

/// Decodes the primary image of a file as it is stored: neither turned nor mirrored.
///
/// `rgb` has room for 3 × width × height bytes; an image of another size is broken. `message` has room for
/// CAIRN_HEIF_MESSAGE_SIZE bytes. Any number of threads may call it.
cairn_heif_status cairn_heif_decode(
    const uint8_t *bytes, size_t size, int width, int height, uint8_t *rgb, char *message);

#endif
