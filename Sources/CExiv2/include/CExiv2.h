#ifndef CAIRN_CEXIV2_H
#define CAIRN_CEXIV2_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Exiv2 speaks C++, and throws. Here its findings are a list that C can read. What is too large, or
// beyond the number of data that any photo has, is left out.

enum {
  CAIRN_METADATA_VALUE_LIMIT = 1 << 16,
  CAIRN_METADATA_COUNT_LIMIT = 1 << 15,
};

typedef enum {
  CAIRN_METADATA_JPEG,
  CAIRN_METADATA_PNG,
  CAIRN_METADATA_WEBP,
  CAIRN_METADATA_XMP,
  /// From the byte order mark.
  CAIRN_METADATA_EXIF,
} cairn_metadata_format;

typedef struct {
  /// As Exiv2 names it: Exif.GPSInfo.GPSLatitude, Iptc.Application2.Keywords, Xmp.dc.subject.
  /// Of a list each element is a datum of its own.
  const char *key;
  /// Of an XMP text in several languages; empty for others.
  const char *language;
  /// Of Exif the type in TIFF, 1 to 13.
  int type;
  /// Of Exif numbers the highest byte first, of XMP UTF-8, of IPTC as they are.
  const uint8_t *bytes;
  size_t size;
} cairn_datum;

typedef struct cairn_metadata cairn_metadata;

/// Reads the metadata of an image, an XMP packet, or Exif alone; never null but without memory. What cannot be read
/// is left out. Any number of threads may call it.
cairn_metadata *cairn_metadata_read(cairn_metadata_format format, const uint8_t *bytes, size_t size);

/// Why not all was read; empty when all was. Valid as long as the metadata.
const char *cairn_metadata_failure(const cairn_metadata *metadata);

size_t cairn_metadata_count(const cairn_metadata *metadata);

/// Valid as long as the metadata.
cairn_datum cairn_metadata_at(const cairn_metadata *metadata, size_t index);

void cairn_metadata_free(cairn_metadata *metadata);

/// Converts text of an encoding that iconv knows into UTF-8, for as long as it is valid.
/// Returns how many bytes of `out` were filled; -1 when `text` is not valid, or `out` too small.
ptrdiff_t cairn_text_to_utf8(
    const char *encoding, const uint8_t *text, size_t size, char *out, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
