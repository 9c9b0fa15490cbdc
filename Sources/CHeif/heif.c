#include "CHeif.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// As heif.h declares them.
struct error {
  int code, subcode;
  const char *message;
};
enum { TILE = 1024, COLORSPACE_RGB = 1, CHROMA_INTERLEAVED_RGB = 10, CHANNEL_INTERLEAVED = 10 };
// Its first members, which stay where they are.
struct decoding_options {
  uint8_t version, ignore_transformations;
};

static struct {
  void *(*context_alloc)(void);
  void (*context_free)(void *);
  void (*limit)(void *, int);
  struct error (*read)(void *, const void *, size_t, const void *);
  struct error (*primary)(void *, void **);
  void (*handle_release)(const void *);
  struct decoding_options *(*options_alloc)(void);
  void (*options_free)(struct decoding_options *);
  struct error (*decode)(const void *, void **, int, int, const struct decoding_options *);
  void (*image_release)(const void *);
  int (*width)(const void *, int);
  int (*height)(const void *, int);
  const uint8_t *(*plane)(const void *, int, int *);
} heif;
static int is_loaded;

static void load(void) {
  static const char *const names[] = {
#ifdef __APPLE__
      "libheif.1.dylib", "/opt/homebrew/lib/libheif.1.dylib", "/usr/local/lib/libheif.1.dylib"
#else
      "libheif.so.1"
#endif
  };
  void *library = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++) {
    library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  }
  if (!library) return;
  struct {
    void *function;
    const char *name;
  } const wanted[] = {
      {&heif.context_alloc, "heif_context_alloc"},
      {&heif.context_free, "heif_context_free"},
      {&heif.limit, "heif_context_set_maximum_image_size_limit"},
      {&heif.read, "heif_context_read_from_memory_without_copy"},
      {&heif.primary, "heif_context_get_primary_image_handle"},
      {&heif.handle_release, "heif_image_handle_release"},
      {&heif.options_alloc, "heif_decoding_options_alloc"},
      {&heif.options_free, "heif_decoding_options_free"},
      {&heif.decode, "heif_decode_image"},
      {&heif.image_release, "heif_image_release"},
      {&heif.width, "heif_image_get_width"},
      {&heif.height, "heif_image_get_height"},
      {&heif.plane, "heif_image_get_plane_readonly"},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    void *found = dlsym(library, wanted[i].name);
    if (!found) return;
    memcpy(wanted[i].function, &found, sizeof found);
  }
  is_loaded = 1;
}

static int failed(struct error error, char *message) {
  if (error.code == 0) return 0;
  snprintf(message, CAIRN_HEIF_MESSAGE_SIZE, "%s", error.message ? error.message : "no reason given");
  return 1;
}

static int copy(const void *image, int width, int height, uint8_t *rgb, char *message) {
  int stride = 0;
  const uint8_t *plane = heif.plane(image, CHANNEL_INTERLEAVED, &stride);
  if (!plane || stride < 3 * width || heif.width(image, CHANNEL_INTERLEAVED) != width ||
      heif.height(image, CHANNEL_INTERLEAVED) != height) {
    snprintf(message, CAIRN_HEIF_MESSAGE_SIZE, "its image and its header differ in size");
    return 0;
  }
  for (int row = 0; row < height; row++) {
    memcpy(rgb + (size_t)row * 3 * width, plane + (size_t)row * stride, 3 * (size_t)width);
  }
  return 1;
}

/// The longest side that libheif may allocate: that of the image rounded up to whole tiles.
///
/// Up to version 1.17 the limit is one of each side, which the sizes of all images in the file may
/// reach, but which a grid must stay below (context.cc, `w >= m_maximum_image_width_limit`). Since 1.18
/// it is squared, and limits the product of the sides. What an image is made of may be as large as a
/// tile, however small the image says that it is.
static int limit(int width, int height) {
  const int side = width > height ? width : height;
  return side < INT_MAX - TILE ? side + TILE : INT_MAX;
}

cairn_heif_status cairn_heif_decode(
    const uint8_t *bytes, size_t size, int width, int height, uint8_t *rgb, char *message) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  if (!is_loaded) return CAIRN_HEIF_MISSING;
  snprintf(message, CAIRN_HEIF_MESSAGE_SIZE, "out of memory");
  void *context = heif.context_alloc();
  struct decoding_options *options = heif.options_alloc();
  void *handle = NULL, *image = NULL;
  int is_decoded = 0;
  if (context) heif.limit(context, limit(width, height));
  if (context && options && !failed(heif.read(context, bytes, size, NULL), message) &&
      !failed(heif.primary(context, &handle), message)) {
    options->ignore_transformations = 1;
    if (!failed(
            heif.decode(handle, &image, COLORSPACE_RGB, CHROMA_INTERLEAVED_RGB, options), message)) {
      is_decoded = copy(image, width, height, rgb, message);
    }
  }
  if (image) heif.image_release(image);
  if (handle) heif.handle_release(handle);
  if (options) heif.options_free(options);
  if (context) heif.context_free(context);
  return is_decoded ? CAIRN_HEIF_DECODED : CAIRN_HEIF_BROKEN;
}
