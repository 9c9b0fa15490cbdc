#include "CTraining.h"

#include <math.h>
#include <string.h>

#pragma STDC FP_CONTRACT OFF

enum { side = ctraining_side, stride = ctraining_stride };

typedef float lanes __attribute__((vector_size(32), aligned(4), may_alias));
typedef int integers __attribute__((vector_size(32), aligned(4), may_alias));

#define load(from) (*(const lanes *)(from))
#define store(value, to) (*(lanes *)(to) = (value))

void ctraining_gradients(const unsigned char *rgb, float *maps) {
  static const lanes cosines = {1, 0.70710678f, 0, -0.70710678f, -1, -0.70710678f, 0, 0.70710678f};
  static const lanes sines = {0, 0.70710678f, 1, 0.70710678f, 0, -0.70710678f, -1, -0.70710678f};
  float gray[side * side];
  for (size_t i = 0; i < side * side; i++)
    gray[i] = ((0.299f / 255) * rgb[3 * i] + (0.587f / 255) * rgb[3 * i + 1]) +
              (0.114f / 255) * rgb[3 * i + 2];
  for (size_t y = 0; y < side; y++)
    for (size_t x = 0; x < side; x++, maps += 8) {
      size_t left = x > 0 ? x - 1 : x, right = x + 1 < side ? x + 1 : x;
      size_t up = y > 0 ? y - 1 : y, down = y + 1 < side ? y + 1 : y;
      float across = gray[y * side + right] - gray[y * side + left];
      float along = gray[down * side + x] - gray[up * side + x];
      float length = sqrtf(across * across + along * along);
      // The cosine of the angle to each direction, to the ninth power.
      lanes cosine = (across * cosines + along * sines) / (length + 1e-6f);
      cosine = (lanes)((cosine > 0.0f) & (integers)cosine);
      lanes power = cosine * cosine;
      power = power * power;
      power = power * power;
      store(power * cosine * length, maps);
    }
}

void ctraining_colors(const unsigned char *rgb, float *maps) {
  for (size_t i = 0; i < side * side; i++, maps += 8, rgb += 3) {
    float r = rgb[0] * (1.0f / 255), g = rgb[1] * (1.0f / 255), b = rgb[2] * (1.0f / 255);
    lanes values = {r, g, b, r * r, g * g, b * b, 0, 0};
    store(values, maps);
  }
}

// The largest step that meets all windows of descriptors.
static size_t step(size_t cell) { return cell % 4 == 0 ? 4 : cell % 2 == 0 ? 2 : 1; }

static void filter(
    const float *maps, const float *weights, size_t count, size_t step, float *scratch,
    float *result) {
  for (size_t y = 0; y + count <= side; y += step)
    for (size_t x = 0; x < side; x++) {
      lanes sum = weights[0] * load(maps + 8 * (y * side + x));
      for (size_t i = 1; i < count; i++) sum += weights[i] * load(maps + 8 * ((y + i) * side + x));
      store(sum, scratch + 8 * (y * side + x));
    }
  for (size_t y = 0; y + count <= side; y += step)
    for (size_t x = 0; x + count <= side; x += step) {
      const float *from = scratch + 8 * (y * side + x);
      lanes sum = weights[0] * load(from);
      for (size_t i = 1; i < count; i++) sum += weights[i] * load(from + 8 * i);
      store(sum, result + 8 * (y * side + x));
    }
}

void ctraining_gradient_cells(const float *maps, size_t cell, float *scratch, float *result) {
  float weights[2 * 16];
  for (size_t i = 0; i < 2 * cell - 1; i++)
    weights[i] = (float)(i < cell ? i + 1 : 2 * cell - 1 - i) / (float)cell;
  filter(maps, weights, 2 * cell - 1, step(cell), scratch, result);
}

void ctraining_color_cells(const float *maps, size_t cell, float *scratch, float *result) {
  float weights[16];
  for (size_t i = 0; i < cell; i++) weights[i] = 1.0f / (float)cell;
  filter(maps, weights, cell, step(cell), scratch, result);
}

size_t ctraining_gradient_line(size_t cell) {
  return (side - (3 * cell + 2 * cell - 1)) / stride + 1;
}

size_t ctraining_color_line(size_t cell) { return (side - 4 * cell) / stride + 1; }

void ctraining_gradient_descriptors(
    const float *cells, size_t cell, size_t line, float *descriptors) {
  size_t count = ctraining_gradient_line(cell);
  for (size_t column = 0; column < count; column++, descriptors += 128) {
    lanes sums = {0};
    const float *from = cells + 8 * (line * stride * side + column * stride);
    for (size_t i = 0; i < 16; i++) sums += load(from + 8 * cell * (i / 4 * side + i % 4));
    // Flat areas come out small.
    float total = ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
                  ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    float factor = 1 / (total + 0.02f * (float)(cell * cell));
    for (size_t i = 0; i < 16; i++) {
      lanes shares = load(from + 8 * cell * (i / 4 * side + i % 4)) * factor;
      store(__builtin_elementwise_sqrt(shares), descriptors + 8 * i);
    }
  }
}

void ctraining_color_descriptors(
    const float *cells, size_t cell, size_t line, float *descriptors) {
  size_t count = ctraining_color_line(cell);
  for (size_t column = 0; column < count; column++, descriptors += 128) {
    const float *from = cells + 8 * (line * stride * side + column * stride);
    for (size_t i = 0; i < 16; i++) {
      lanes sums = load(from + 8 * cell * (i / 4 * side + i % 4));
      lanes squares = {sums[3], sums[4], sums[5], 0, 0, 0, 0, 0};
      lanes variance = squares - sums * sums;
      variance = (lanes)((variance > 0.0f) & (integers)variance) + 1e-4f;
      lanes roots = __builtin_elementwise_sqrt(variance);
      lanes values = {sums[0], sums[1], sums[2], roots[0], roots[1], roots[2], 0, 0};
      store(values, descriptors + 8 * i);
    }
  }
}
