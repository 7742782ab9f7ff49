#include "structure/periods.h"

#include <kiss_fftr.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The rule of the paper. */
static const double OTHERS_BELOW = 0.9;

/* A maximum at k is not another one if k / T is as near as this to a whole number. */
static const double NEAR_MULTIPLE = 0.15;

/* The smallest similarity of the signal to itself one period later: over all samples, and in the
 * stretch with the period. */
static const double SIMILAR = 0.25, SIMILAR_HERE = 0.4;

enum {
    SHORTEST = 4, /* samples of a period */
    FEWEST = 3,   /* periods in a signal */
    WIDER = 4,    /* times the width of the closing, which makes any signal smooth, is the shortest
                     period */
    STEPS = 4,    /* places of a period at which the similarity is taken */
};

/* The largest value of each window, or the smallest with sign -1, by a queue of descending values
 * (places in `queue`). */
static void filter_windows(const float *from, float *to, size_t count, size_t width, float sign,
                           size_t *queue)
{
    assert(sign == 1 || sign == -1);
    size_t head = 0, tail = 0;
    for (size_t i = 0; i < count + width; i++) {
        if (i < count) {
            while (tail > head && sign * from[queue[tail - 1]] <= sign * from[i])
                tail--;
            queue[tail++] = i;
        }
        if (i < width)
            continue;
        while (queue[head] + 2 * width < i)
            head++;
        to[i - width] = from[queue[head]];
    }
}

bool signal_close(float *signal, size_t count, size_t width)
{
    float *dilated = malloc((count + 1) * sizeof *dilated);
    size_t *queue = malloc((count + 1) * sizeof *queue);
    bool allocated = dilated && queue;
    if (allocated && count > 0) {
        filter_windows(signal, dilated, count, width, 1, queue);
        filter_windows(dilated, signal, count, width, -1, queue);
    }
    free(dilated);
    free(queue);
    return allocated;
}

static double mean_of(const float *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)values[i];
    return count > 0 ? sum / (double)count : 0;
}

bool signal_autocorrelate(const float *signal, size_t count, float *autocorrelation)
{
    int size = kiss_fftr_next_fast_size_real(
        (int)(2 * count)); /* zero padding, so that the convolution is not circular */
    size_t bins = (size_t)size / 2 + 1;
    kiss_fftr_cfg forward = kiss_fftr_alloc(size, 0, NULL, NULL);
    kiss_fftr_cfg back = kiss_fftr_alloc(size, 1, NULL, NULL);
    float *padded = calloc((size_t)size, sizeof *padded);
    kiss_fft_cpx *spectrum = malloc(bins * sizeof *spectrum);
    bool allocated = forward && back && padded && spectrum;
    if (allocated) {
        double mean = mean_of(signal, count);
        for (size_t i = 0; i < count; i++)
            padded[i] = (float)((double)signal[i] - mean);
        kiss_fftr(forward, padded, spectrum);
        for (size_t i = 0; i < bins; i++)
            spectrum[i] =
                (kiss_fft_cpx){spectrum[i].r * spectrum[i].r + spectrum[i].i * spectrum[i].i, 0};
        kiss_fftri(back, spectrum, padded);
        float whole = padded[0];
        for (size_t k = 0; k < count; k++)
            autocorrelation[k] = whole > 0 ? padded[k] / whole : 0;
    }
    kiss_fftr_free(forward);
    kiss_fftr_free(back);
    free(padded);
    free(spectrum);
    return allocated;
}

/* The highest local maximum after the first zero; 0 if there is none. */
static size_t highest_maximum(const float *a, size_t count, size_t *zero)
{
    size_t k = 1, best = 0;
    while (k < count && a[k] > 0)
        k++;
    *zero = k;
    for (; k + 1 < count; k++)
        if (a[k - 1] < a[k] && a[k] >= a[k + 1] && (best == 0 || a[k] > a[best]))
            best = k;
    return best;
}

static bool is_other(size_t k, size_t period)
{
    double times = (double)k / (double)period;
    return fabs(times - round(times)) > NEAR_MULTIPLE || times < 0.5;
}

static bool is_distinct(const float *a, size_t count, size_t zero, size_t period)
{
    for (size_t k = zero; k + 1 < count; k++)
        if (a[k - 1] < a[k] && a[k] >= a[k + 1] && is_other(k, period) &&
            (double)a[k] >= OTHERS_BELOW * (double)a[period])
            return false;
    return true;
}

/* The lag of the maximum at `period` between samples: the top of the parabola through its
 * neighbours. */
static double refine_lag(const float *a, size_t period)
{
    double left = (double)a[period - 1], top = (double)a[period], right = (double)a[period + 1];
    double curve = left - 2 * top + right;
    double shift = curve < 0 ? 0.5 * (left - right) / curve : 0;
    return (double)period + (fabs(shift) <= 1 ? shift : 0);
}

/* The similarity of a period's samples from `at` on and the next period's: their correlation. */
static double similarity(const float *signal, size_t at, size_t length)
{
    const float *x = signal + at, *y = x + length;
    double mean_x = mean_of(x, length), mean_y = mean_of(y, length), xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < length; i++) {
        double dx = (double)x[i] - mean_x, dy = (double)y[i] - mean_y;
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

/* The longest stretch in which each period is similar to the next. */
static void find_stretch(const float *signal, size_t count, struct signal_period *period)
{
    size_t length = (size_t)(period->length + 0.5), step = length / STEPS > 0 ? length / STEPS : 1;
    size_t begin = 0;
    bool inside = false;
    for (size_t at = 0; at + 2 * length <= count; at += step) {
        bool similar = similarity(signal, at, length) >= SIMILAR_HERE;
        if (similar && !inside)
            begin = at;
        inside = similar;
        size_t end = at + 2 * length;
        if (similar && end - begin > period->end - period->begin)
            period->begin = begin, period->end = end;
    }
}

enum status signal_find_period(const float *signal, size_t count, struct signal_period *period,
                               struct error *error)
{
    float *closed = malloc((count + 1) * sizeof *closed);
    float *a = malloc((count + 1) * sizeof *a);
    bool allocated = closed && a;
    *period = (struct signal_period){0};
    for (size_t width = 0; allocated && width <= count / 16; width = width > 0 ? 2 * width : 1) {
        size_t zero;
        memcpy(closed, signal, count * sizeof *closed);
        allocated = (width == 0 || signal_close(closed, count, width)) &&
                    signal_autocorrelate(closed, count, a);
        if (!allocated)
            break;
        size_t found = highest_maximum(a, count, &zero);
        if (found < SHORTEST || found < WIDER * width || FEWEST * found > count ||
            (double)a[found] * (double)count / (double)(count - found) < SIMILAR ||
            !is_distinct(a, count, zero, found))
            continue;
        *period = (struct signal_period){
            .length = refine_lag(a, found),
            .width = width,
            .quality = fmin(1, (double)a[found] * (double)count / (double)(count - found))};
        find_stretch(closed, count, period);
        if (period->end > period->begin)
            break;
        *period = (struct signal_period){0};
    }
    free(closed);
    free(a);
    return allocated ? STATUS_OK : error_memory(error, "the periods of a signal");
}
