// Of version 0.27 the pointers are std::auto_ptr.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include "CExiv2.h"

#include <exiv2/exiv2.hpp>
// Not in all versions a part of the one above.
#include <exiv2/webpimage.hpp>
#include <iconv.h>

#include <exception>
#include <mutex>
#include <string>
#include <vector>

#if EXIV2_TEST_VERSION(0, 28, 0)
using IoPointer = Exiv2::BasicIo::UniquePtr;
using ImagePointer = Exiv2::Image::UniquePtr;
#else
using IoPointer = Exiv2::BasicIo::AutoPtr;
using ImagePointer = Exiv2::Image::AutoPtr;
#endif

struct cairn_metadata {
  struct Datum {
    std::string key, language, value;
    int type;
  };

  std::vector<Datum> data;
  std::string failure;

  void add(std::string key, int type, std::string value, std::string language = "") {
    if (value.size() > CAIRN_METADATA_VALUE_LIMIT) return;
    if (data.size() >= CAIRN_METADATA_COUNT_LIMIT) return;
    data.push_back({std::move(key), std::move(language), std::move(value), type});
  }

  void add(const Exiv2::ExifData &exif) {
    for (const auto &datum : exif) {
      const auto group = datum.groupName();
      // The notes of makers, and what is of the thumbnail, are nobody's concern.
      if (group != "Image" && group != "Photo" && group != "GPSInfo") continue;
      const auto size = static_cast<size_t>(datum.size());
      if (datum.key() == "Exif.Photo.MakerNote" || size > CAIRN_METADATA_VALUE_LIMIT) continue;
      std::string value(size, '\0');
      const auto copied =
          datum.copy(reinterpret_cast<Exiv2::byte *>(&value[0]), Exiv2::bigEndian);
      value.resize(static_cast<size_t>(copied));
      add(datum.key(), datum.typeId(), std::move(value));
    }
  }

  void add(const Exiv2::IptcData &iptc) {
    for (const auto &datum : iptc) {
      const auto size = static_cast<size_t>(datum.size());
      if (size > CAIRN_METADATA_VALUE_LIMIT) continue;
      std::string value(size, '\0');
      const auto copied =
          datum.copy(reinterpret_cast<Exiv2::byte *>(&value[0]), Exiv2::bigEndian);
      value.resize(static_cast<size_t>(copied));
      add(datum.key(), datum.typeId(), std::move(value));
    }
  }

  void add(const Exiv2::XmpData &xmp) {
    for (const auto &datum : xmp) {
      const auto &value = datum.value();
      if (const auto *texts = dynamic_cast<const Exiv2::LangAltValue *>(&value)) {
        for (const auto &text : texts->value_) {
          add(datum.key(), Exiv2::langAlt, text.second, text.first);
        }
      } else if (dynamic_cast<const Exiv2::XmpArrayValue *>(&value)) {
        for (long index = 0; index < static_cast<long>(value.count()); index++) {
          add(datum.key(), datum.typeId(), value.toString(index));
        }
      } else {
        add(datum.key(), datum.typeId(), value.toString());
      }
    }
  }
};

namespace {

// The toolkit behind XMP is not for several threads.
std::mutex exiv2;

void initialize() {
  static std::once_flag once;
  std::call_once(once, [] {
    Exiv2::LogMsg::setLevel(Exiv2::LogMsg::mute);
    Exiv2::XmpParser::initialize();
  });
}

ImagePointer open(cairn_metadata_format format, const uint8_t *bytes, size_t size) {
  IoPointer io(new Exiv2::MemIo(bytes, static_cast<long>(size)));
#if EXIV2_TEST_VERSION(0, 28, 0)
#define TAKE(pointer) std::move(pointer)
#else
#define TAKE(pointer) pointer
#endif
  switch (format) {
  case CAIRN_METADATA_JPEG: return Exiv2::newJpegInstance(TAKE(io), false);
  case CAIRN_METADATA_PNG: return Exiv2::newPngInstance(TAKE(io), false);
  default: return Exiv2::newWebPInstance(TAKE(io), false);
  }
}

/// Calls `body`, and remembers why it did not come to its end.
template <typename Body> void attempt(cairn_metadata &metadata, Body body) {
  try {
    body();
  } catch (const std::exception &error) {
    metadata.failure = error.what();
  } catch (...) {
    metadata.failure = "unknown";
  }
}

void readImage(
    cairn_metadata &metadata, cairn_metadata_format format, const uint8_t *bytes, size_t size) {
  ImagePointer image;
  attempt(metadata, [&] {
    image = open(format, bytes, size);
    if (image.get()) image->readMetadata();
  });
  if (!image.get()) return;
  attempt(metadata, [&] { metadata.add(image->exifData()); });
  attempt(metadata, [&] { metadata.add(image->iptcData()); });
  attempt(metadata, [&] { metadata.add(image->xmpData()); });
}

void readPacket(cairn_metadata &metadata, const uint8_t *bytes, size_t size) {
  attempt(metadata, [&] {
    Exiv2::XmpData xmp;
    const std::string packet(reinterpret_cast<const char *>(bytes), size);
    if (Exiv2::XmpParser::decode(xmp, packet) != 0) metadata.failure = "not an XMP packet";
    metadata.add(xmp);
  });
}

void readExif(cairn_metadata &metadata, const uint8_t *bytes, size_t size) {
  attempt(metadata, [&] {
    Exiv2::ExifData exif;
    Exiv2::ExifParser::decode(exif, bytes, static_cast<uint32_t>(size));
    metadata.add(exif);
  });
}

} // namespace

cairn_metadata *cairn_metadata_read(
    cairn_metadata_format format, const uint8_t *bytes, size_t size) {
  cairn_metadata *metadata = nullptr;
  try {
    metadata = new cairn_metadata;
    std::lock_guard<std::mutex> guard(exiv2);
    initialize();
    if (format == CAIRN_METADATA_XMP) {
      readPacket(*metadata, bytes, size);
    } else if (format == CAIRN_METADATA_EXIF) {
      readExif(*metadata, bytes, size);
    } else {
      readImage(*metadata, format, bytes, size);
    }
  } catch (...) {
    // Without memory there is no metadata.
  }
  return metadata;
}

const char *cairn_metadata_failure(const cairn_metadata *metadata) {
  return metadata->failure.c_str();
}

size_t cairn_metadata_count(const cairn_metadata *metadata) { return metadata->data.size(); }

cairn_datum cairn_metadata_at(const cairn_metadata *metadata, size_t index) {
  const auto &datum = metadata->data[index];
  return {
      datum.key.c_str(), datum.language.c_str(), datum.type,
      reinterpret_cast<const uint8_t *>(datum.value.data()), datum.value.size()};
}

void cairn_metadata_free(cairn_metadata *metadata) { delete metadata; }

ptrdiff_t cairn_text_to_utf8(
    const char *encoding, const uint8_t *text, size_t size, char *out, size_t capacity) {
  const iconv_t conversion = iconv_open("UTF-8", encoding);
  if (conversion == reinterpret_cast<iconv_t>(-1)) return -1;
  char *input = const_cast<char *>(reinterpret_cast<const char *>(text));
  char *output = out;
  size_t room = capacity;
  size_t left = iconv(conversion, &input, &size, &output, &room);
  if (left != static_cast<size_t>(-1)) left = iconv(conversion, nullptr, nullptr, &output, &room);
  iconv_close(conversion);
  return left == static_cast<size_t>(-1) ? -1 : static_cast<ptrdiff_t>(capacity - room);
}
