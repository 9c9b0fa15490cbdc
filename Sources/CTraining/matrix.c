#include "CTraining.h"

#include <string.h>

#pragma STDC FP_CONTRACT OFF

typedef float lanes __attribute__((vector_size(32), aligned(4), may_alias));
typedef int integers __attribute__((vector_size(32), aligned(4), may_alias));

#define load(from) (*(const lanes *)(from))
#define store(value, to) (*(lanes *)(to) = (value))

// The lanes are columns of the result, so that a wider vector changes no sum.
#define TILE(name, attributes)                                                                 \
  attributes static void name##_4x16(                                                          \
      const float *a, size_t a_row, size_t a_column, const float *b, size_t b_row, float *c,   \
      size_t c_row, size_t inner, int adds) {                                                  \
    lanes s00 = {0}, s01 = {0}, s10 = {0}, s11 = {0}, s20 = {0}, s21 = {0}, s30 = {0}, s31 = {0}; \
    if (adds) {                                                                                \
      s00 = load(c), s01 = load(c + 8);                                                        \
      s10 = load(c + c_row), s11 = load(c + c_row + 8);                                        \
      s20 = load(c + 2 * c_row), s21 = load(c + 2 * c_row + 8);                                \
      s30 = load(c + 3 * c_row), s31 = load(c + 3 * c_row + 8);                                \
    }                                                                                          \
    for (size_t i = 0; i < inner; i++, a += a_column, b += b_row) {                            \
      lanes b0 = load(b), b1 = load(b + 8);                                                    \
      float a0 = a[0], a1 = a[a_row], a2 = a[2 * a_row], a3 = a[3 * a_row];                    \
      s00 += a0 * b0, s01 += a0 * b1, s10 += a1 * b0, s11 += a1 * b1;                          \
      s20 += a2 * b0, s21 += a2 * b1, s30 += a3 * b0, s31 += a3 * b1;                          \
    }                                                                                          \
    store(s00, c), store(s01, c + 8), store(s10, c + c_row), store(s11, c + c_row + 8);        \
    store(s20, c + 2 * c_row), store(s21, c + 2 * c_row + 8);                                  \
    store(s30, c + 3 * c_row), store(s31, c + 3 * c_row + 8);                                  \
  }                                                                                            \
  attributes static void name##_1x8(                                                           \
      const float *a, size_t a_column, const float *b, size_t b_row, float *c, size_t inner,   \
      int adds) {                                                                              \
    lanes sum = {0};                                                                           \
    if (adds) sum = load(c);                                                                   \
    for (size_t i = 0; i < inner; i++, a += a_column, b += b_row) sum += *a * load(b);         \
    store(sum, c);                                                                             \
  }                                                                                            \
  attributes static void name(                                                                 \
      const float *a, size_t a_row, size_t a_column, const float *b, size_t b_row, float *c,   \
      size_t c_row, size_t rows, size_t inner, size_t columns, int adds) {                     \
    size_t row = 0;                                                                            \
    for (; row + 4 <= rows; row += 4) {                                                        \
      const float *from = a + row * a_row;                                                     \
      float *to = c + row * c_row;                                                             \
      size_t column = 0;                                                                       \
      for (; column + 16 <= columns; column += 16)                                             \
        name##_4x16(                                                                           \
            from, a_row, a_column, b + column, b_row, to + column, c_row, inner, adds);        \
      for (; column < columns; column += 8)                                                    \
        for (size_t i = 0; i < 4; i++)                                                         \
          name##_1x8(                                                                          \
              from + i * a_row, a_column, b + column, b_row, to + i * c_row + column, inner,   \
              adds);                                                                           \
    }                                                                                          \
    for (; row < rows; row++)                                                                  \
      for (size_t column = 0; column < columns; column += 8)                                   \
        name##_1x8(                                                                            \
            a + row * a_row, a_column, b + column, b_row, c + row * c_row + column, inner, adds); \
  }

TILE(multiply_plain, )
#if defined(__x86_64__)
TILE(multiply_avx, __attribute__((target("avx2"))))
#endif

// The rows of `b` that are read for all rows of `a` before the next: they stay in the cache.
enum { block = 256 };

void ctraining_multiply(
    const float *a, size_t a_row, size_t a_column, const float *b, size_t b_row, float *c,
    size_t c_row, size_t rows, size_t inner, size_t columns, int adds) {
  size_t start = 0;
  do {
    size_t count = inner - start < block ? inner - start : block;
    const float *left = a + start * a_column, *right = b + start * b_row;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
      multiply_avx(
          left, a_row, a_column, right, b_row, c, c_row, rows, count, columns, adds || start);
    else
#endif
      multiply_plain(
          left, a_row, a_column, right, b_row, c, c_row, rows, count, columns, adds || start);
    start += count;
  } while (start < inner);
}

// Source: Cephes, expf: x = n ln 2 + r, and a polynomial of r.
static inline void exponentials(float *values, float highest) {
  lanes x = load(values) - highest;
  integers is_low = x < -87.0f;
  x = (lanes)((is_low & (integers)((lanes){0} - 87.0f)) | (~is_low & (integers)x));
  lanes n = (x * 1.44269504088896341f + 12582912.0f) - 12582912.0f;
  x -= n * 0.693359375f;
  x -= n * -2.12194440e-4f;
  lanes y = x * 1.9875691500e-4f + 1.3981999507e-3f;
  y = y * x + 8.3334519073e-3f;
  y = y * x + 4.1665795894e-2f;
  y = y * x + 1.6666665459e-1f;
  y = y * x + 5.0000001201e-1f;
  y = y * (x * x) + x + 1.0f;
  integers power = (__builtin_convertvector(n, integers) + 127) << 23;
  store(y * (lanes)power, values);
}

void ctraining_softmax(float *values, size_t rows, size_t columns) {
  for (size_t row = 0; row < rows; row++, values += columns) {
    float highest = values[0];
    for (size_t i = 1; i < columns; i++)
      if (values[i] > highest) highest = values[i];
    lanes sums = {0};
    for (size_t i = 0; i < columns; i += 8) {
      exponentials(values + i, highest);
      sums += load(values + i);
    }
    float sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    float factor = 1 / sum;
    for (size_t i = 0; i < columns; i += 8) store(load(values + i) * factor, values + i);
  }
}

void ctraining_with_squares(const float *values, float *result, size_t rows, size_t count) {
  for (size_t row = 0; row < rows; row++, values += count, result += 2 * count)
    for (size_t i = 0; i < count; i += 8) {
      lanes value = load(values + i);
      store(value, result + i);
      store(value * value, result + count + i);
    }
}

// Source: Cephes, exp.
double ctraining_exp(double x) {
  if (x != x) return x;
  if (x > 709) return __builtin_inf();
  if (x < -708) return 0;
  double n = (x * 1.4426950408889634 + 6755399441055744.0) - 6755399441055744.0;
  x -= n * 6.93145751953125e-1;
  x -= n * 1.42860682030941723212e-6;
  double xx = x * x;
  double p = x * ((1.26177193074810590878e-4 * xx + 3.02994407707441961300e-2) * xx +
                  9.99999999999999999910e-1);
  double q = ((3.00198505138664455042e-6 * xx + 2.52448340349684104192e-3) * xx +
              2.27265548208155028766e-1) * xx + 2.0;
  double value = 1 + 2 * (p / (q - p));
  unsigned long long bits = (unsigned long long)((long long)n + 1023) << 52;
  double power;
  memcpy(&power, &bits, sizeof power);
  return value * power;
}

// x = 2^n m with m near 1, and the series of 2 artanh((m - 1) / (m + 1)).
double ctraining_log(double x) {
  if (!(x > 0)) return x == 0 ? -__builtin_inf() : __builtin_nan("");
  if (x == __builtin_inf()) return x;
  long long exponent = 0;
  if (x < 2.2250738585072014e-308) x *= 18014398509481984.0, exponent = -54;
  unsigned long long bits;
  memcpy(&bits, &x, sizeof bits);
  exponent += (long long)(bits >> 52) - 1023;
  bits = (bits & 0xFFFFFFFFFFFFFull) | 0x3FF0000000000000ull;
  double m;
  memcpy(&m, &bits, sizeof m);
  if (m > 1.4142135623730951) m /= 2, exponent += 1;
  double s = (m - 1) / (m + 1), z = s * s, sum = 0;
  for (int i = 23; i >= 3; i -= 2) sum = (sum + 1.0 / i) * z;
  double n = (double)exponent;
  return n * 6.93147180369123816490e-01 + (2 * s + (2 * s * sum + n * 1.90821492927058770002e-10));
}

double ctraining_dot(const double *left, const double *right, size_t count) {
  double sums[4] = {0};
  size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (size_t j = 0; j < 4; j++) sums[j] += left[i + j] * right[i + j];
  for (; i < count; i++) sums[0] += left[i] * right[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

void ctraining_add(double factor, const double *values, double *result, size_t count) {
  for (size_t i = 0; i < count; i++) result[i] += factor * values[i];
}

void ctraining_add_floats(const float *values, double *result, size_t start, size_t count) {
  for (size_t i = 0; i < count; i++) result[start + i] += values[i];
}

void ctraining_add_from(
    double factor, const double *values, size_t start, double *result, size_t first, size_t count) {
  for (size_t i = first; i < count; i++) result[i] += factor * values[start + i];
}

double ctraining_softmax_residuals(
    float *scores, const double *intercepts, size_t count, size_t target, double weight) {
  double highest = scores[0] + intercepts[0];
  for (size_t i = 1; i < count; i++)
    if (scores[i] + intercepts[i] > highest) highest = scores[i] + intercepts[i];
  double sum = 0, own = scores[target] + intercepts[target] - highest;
  for (size_t i = 0; i < count; i++) sum += ctraining_exp(scores[i] + intercepts[i] - highest);
  for (size_t i = 0; i < count; i++) {
    double share = ctraining_exp(scores[i] + intercepts[i] - highest) / sum;
    scores[i] = (float)(weight * (share - (i == target ? 1 : 0)));
  }
  return weight * (ctraining_log(sum) - own);
}

double ctraining_logistic_residual(float *score, double intercept, int target, double weight) {
  double margin = target ? *score + intercept : -(*score + intercept);
  double power = ctraining_exp(margin > 0 ? -margin : margin);
  double wrong = (margin > 0 ? power : 1) / (1 + power);
  *score = (float)(weight * (target ? -wrong : wrong));
  return weight * (ctraining_log(1 + power) - (margin < 0 ? margin : 0));
}
