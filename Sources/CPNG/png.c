#include "CPNG.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

struct reading {
  const uint8_t *bytes;
  size_t size, position;
  char *message;
};

static void fail(png_structp png, png_const_charp text) {
  struct reading *reading = png_get_error_ptr(png);
  snprintf(reading->message, CAIRN_PNG_MESSAGE_SIZE, "%s", text);
  png_longjmp(png, 1);
}

static void warn(png_structp png, png_const_charp text) {
  (void)png;
  (void)text;
}

static void take(png_structp png, png_bytep target, size_t count) {
  struct reading *reading = png_get_io_ptr(png);
  if (count > reading->size - reading->position) png_error(png, "its image data is truncated");
  memcpy(target, reading->bytes + reading->position, count);
  reading->position += count;
}

/// Asks for bytes of red, green, blue and, if `channels` is 4, alpha.
static void convert(png_structp png, png_infop info, int channels) {
  const int color = png_get_color_type(png, info);
  png_set_strip_16(png);
  if (color == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if (color == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(png);
  if (color == PNG_COLOR_TYPE_GRAY || color == PNG_COLOR_TYPE_GRAY_ALPHA) png_set_gray_to_rgb(png);
  if (channels == 4) {
    if (png_get_valid(png, info, PNG_INFO_tRNS)) png_set_tRNS_to_alpha(png);
    png_set_add_alpha(png, 0xFF, PNG_FILLER_AFTER);
  } else {
    png_set_strip_alpha(png);
  }
}

int cairn_png_decode(
    const uint8_t *bytes, size_t size, uint32_t width, uint32_t height, int channels,
    uint8_t *pixels, char *message) {
  struct reading reading = {bytes, size, 0, message};
  snprintf(message, CAIRN_PNG_MESSAGE_SIZE, "out of memory");
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, fail, warn);
  if (!png) return 0;
  png_infop info = png_create_info_struct(png);
  if (!info || setjmp(png_jmpbuf(png))) {
    png_destroy_read_struct(&png, &info, NULL);
    return 0;
  }
  png_set_read_fn(png, &reading, take);
  png_set_user_limits(png, width, height);
  png_read_info(png, info);
  if (png_get_image_width(png, info) != width || png_get_image_height(png, info) != height) {
    png_error(png, "its image and its header differ in size");
  }
  convert(png, info, channels);
  const int passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  const size_t stride = (size_t)channels * width;
  if (png_get_rowbytes(png, info) != stride) png_error(png, "its pixels cannot be converted");
  for (int pass = 0; pass < passes; pass++) {
    for (uint32_t row = 0; row < height; row++) png_read_row(png, pixels + row * stride, NULL);
  }
  png_destroy_read_struct(&png, &info, NULL);
  return 1;
}
