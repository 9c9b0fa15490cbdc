// The inner loops of training: matrix products, exponentials, and local descriptors of an image.
//
// The same input gives the same bytes on every machine: every sum has one order whatever the width
// of the processor's vectors, products and sums are never fused, and no function of the C library
// whose last digit varies is called.
#ifndef CTRAINING_H
#define CTRAINING_H

#include <stddef.h>

/// Computes c = a · b, or adds it to c.
///
/// Each element is the sum over the inner dimension, from its first index to its last. `b` and `c`
/// are stored by rows; `columns` is a multiple of 8.
/// - a_row, a_column: the distances of rows and columns in `a`; exchanged, they transpose it.
void ctraining_multiply(
    const float *a, size_t a_row, size_t a_column, const float *b, size_t b_row, float *c,
    size_t c_row, size_t rows, size_t inner, size_t columns, int adds);

/// Replaces each row by its softmax. `columns` is a multiple of 8.
void ctraining_softmax(float *values, size_t rows, size_t columns);

/// Writes each row of `count` values and, after it, their squares. `count` is a multiple of 8.
void ctraining_with_squares(const float *values, float *result, size_t rows, size_t count);

/// Returns the exponential function and the natural logarithm, within 2 units in the last place.
double ctraining_exp(double value);
double ctraining_log(double value);

/// Returns the sum of products, in a fixed order.
double ctraining_dot(const double *left, const double *right, size_t count);

/// Adds factor × values to `result`.
void ctraining_add(double factor, const double *values, double *result, size_t count);

/// Adds values to the part of `result` that begins at `start`.
void ctraining_add_floats(const float *values, double *result, size_t start, size_t count);

/// Adds factor × values[start + i] to result[i], for i from `first` to `count`.
void ctraining_add_from(
    double factor, const double *values, size_t start, double *result, size_t first, size_t count);

/// Replaces the scores of a row by the weighted differences of its softmax and its class, and
/// returns its weighted negative log likelihood.
double ctraining_softmax_residuals(
    float *scores, const double *intercepts, size_t count, size_t target, double weight);

/// Replaces a score by the weighted difference of its logistic function and `target`, 0 or 1, and
/// returns the weighted negative log likelihood.
double ctraining_logistic_residual(float *score, double intercept, int target, double weight);

enum {
  ctraining_side = 192,
  /// The distance of descriptors in pixels.
  ctraining_stride = 4,
  /// 4 × 4 cells of 8 values.
  ctraining_descriptor = 128
};

/// Writes the 8 oriented gradients of each pixel of an RGB image of 192 × 192.
void ctraining_gradients(const unsigned char *rgb, float *maps);

/// Writes red, green, blue, their squares and two zeros for each pixel of such an image.
void ctraining_colors(const unsigned char *rgb, float *maps);

/// Sums maps of 8 values a pixel with a triangular window of 2 × cell - 1 pixels (for gradients), or
/// averages them over cell × cell pixels (for colors). `scratch` has the size of `maps`. The result
/// at (y, x) is the window that begins there; places that no descriptor reads are left out.
void ctraining_gradient_cells(const float *maps, size_t cell, float *scratch, float *result);
void ctraining_color_cells(const float *maps, size_t cell, float *scratch, float *result);

/// Returns the number of descriptors in a line.
size_t ctraining_gradient_line(size_t cell);
size_t ctraining_color_line(size_t cell);

/// Writes the descriptors of one line of cells: square roots of relative gradients (RootSIFT), or
/// means and deviations of colors.
void ctraining_gradient_descriptors(
    const float *cells, size_t cell, size_t line, float *descriptors);
void ctraining_color_descriptors(const float *cells, size_t cell, size_t line, float *descriptors);

/// The embedded codebook, in the format of Sources/CTraining/codebook.md.
const unsigned char *ctraining_codebook(void);
size_t ctraining_codebook_count(void);

#endif
