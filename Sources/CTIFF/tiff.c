#include "CTIFF.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// As tiffio.h declares them.
typedef ptrdiff_t (*transfer)(void *, void *, ptrdiff_t);
typedef uint64_t (*seek)(void *, uint64_t, int);
typedef int (*closing)(void *);
typedef uint64_t (*sizing)(void *);
typedef int (*mapping)(void *, void **, uint64_t *);
typedef void (*unmapping)(void *, void *, uint64_t);
typedef void (*report)(void *, const char *, const char *, va_list);
typedef void (*global_report)(const char *, const char *, va_list);

static struct {
  void *(*open)(
      const char *, const char *, void *, transfer, transfer, seek, closing, sizing, mapping,
      unmapping);
  void (*close)(void *);
  ptrdiff_t (*strip)(void *, uint32_t, void *, ptrdiff_t);
  ptrdiff_t (*tile)(void *, uint32_t, void *, ptrdiff_t);
  int (*rgba)(void *, uint32_t, uint32_t, uint32_t *, int, int);
  int (*field)(void *, uint32_t, ...);
  global_report (*set_error)(global_report);
  global_report (*set_warning)(global_report);
  report (*set_error_ext)(report);
} tiff;
static int is_loaded;

struct cairn_tiff {
  const uint8_t *bytes;
  uint64_t size, position;
  char *message;
  void *handle;
};

static void on_error(void *data, const char *module, const char *format, va_list arguments) {
  (void)module;
  struct cairn_tiff *file = data;
  if (file) vsnprintf(file->message, CAIRN_TIFF_MESSAGE_SIZE, format, arguments);
}

static void load(void) {
  static const char *const names[] = {
#ifdef __APPLE__
      "libtiff.6.dylib", "/opt/homebrew/lib/libtiff.6.dylib", "/usr/local/lib/libtiff.6.dylib"
#else
      "libtiff.so.6", "libtiff.so.5"
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
      {&tiff.open, "TIFFClientOpen"},
      {&tiff.close, "TIFFClose"},
      {&tiff.strip, "TIFFReadEncodedStrip"},
      {&tiff.tile, "TIFFReadEncodedTile"},
      {&tiff.rgba, "TIFFReadRGBAImageOriented"},
      {&tiff.field, "TIFFGetField"},
      {&tiff.set_error, "TIFFSetErrorHandler"},
      {&tiff.set_warning, "TIFFSetWarningHandler"},
      {&tiff.set_error_ext, "TIFFSetErrorHandlerExt"},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    void *found = dlsym(library, wanted[i].name);
    if (!found) return;
    memcpy(wanted[i].function, &found, sizeof found);
  }
  // Otherwise they print.
  tiff.set_error(NULL);
  tiff.set_warning(NULL);
  tiff.set_error_ext(on_error);
  is_loaded = 1;
}

int cairn_tiff_is_installed(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return is_loaded;
}

static ptrdiff_t read_bytes(void *data, void *target, ptrdiff_t count) {
  struct cairn_tiff *file = data;
  if (count < 0 || file->position >= file->size) return 0;
  const uint64_t rest = file->size - file->position;
  if ((uint64_t)count > rest) count = (ptrdiff_t)rest;
  memcpy(target, file->bytes + file->position, (size_t)count);
  file->position += (uint64_t)count;
  return count;
}

static ptrdiff_t write_bytes(void *data, void *source, ptrdiff_t count) {
  (void)data, (void)source, (void)count;
  return -1;
}

static uint64_t seek_to(void *data, uint64_t offset, int whence) {
  struct cairn_tiff *file = data;
  if (whence == SEEK_CUR) offset += file->position;
  if (whence == SEEK_END) offset += file->size;
  return file->position = offset;
}

static int close_nothing(void *data) {
  (void)data;
  return 0;
}

static uint64_t size_of(void *data) { return ((struct cairn_tiff *)data)->size; }

static int map(void *data, void **base, uint64_t *size) {
  struct cairn_tiff *file = data;
  *base = (void *)file->bytes;
  *size = file->size;
  return 1;
}

static void unmap(void *data, void *base, uint64_t size) { (void)data, (void)base, (void)size; }

cairn_tiff *cairn_tiff_open(const uint8_t *bytes, size_t size, char *message) {
  snprintf(message, CAIRN_TIFF_MESSAGE_SIZE, "out of memory");
  struct cairn_tiff *file = cairn_tiff_is_installed() ? malloc(sizeof *file) : NULL;
  if (!file) return NULL;
  *file = (struct cairn_tiff){bytes, size, 0, message, NULL};
  // c: strips stay as they are in the file, so that their numbers do too.
  file->handle = tiff.open(
      "image", "rc", file, read_bytes, write_bytes, seek_to, close_nothing, size_of, map, unmap);
  if (file->handle) return file;
  free(file);
  return NULL;
}

void cairn_tiff_close(cairn_tiff *file) {
  tiff.close(file->handle);
  free(file);
}

ptrdiff_t cairn_tiff_read_strip(cairn_tiff *file, uint32_t index, uint8_t *buffer, size_t size) {
  return tiff.strip(file->handle, index, buffer, (ptrdiff_t)size);
}

ptrdiff_t cairn_tiff_read_tile(cairn_tiff *file, uint32_t index, uint8_t *buffer, size_t size) {
  return tiff.tile(file->handle, index, buffer, (ptrdiff_t)size);
}

int cairn_tiff_read_rgba(
    cairn_tiff *file, uint32_t width, uint32_t height, int orientation, uint32_t *pixels) {
  // libtiff writes its own number of rows. A file may have a size twice, and readers use either.
  enum { WIDTH = 256, HEIGHT = 257 };
  uint32_t columns = 0, rows = 0;
  tiff.field(file->handle, WIDTH, &columns);
  tiff.field(file->handle, HEIGHT, &rows);
  if (columns != width || rows != height) {
    snprintf(file->message, CAIRN_TIFF_MESSAGE_SIZE, "it has several sizes");
    return 0;
  }
  return tiff.rgba(file->handle, width, height, pixels, orientation, 1);
}
