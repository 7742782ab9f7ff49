/* Finds the period of a signal (M. Casas, R. M. Badia, J. Labarta: Automatic structure extraction
 * from MPI applications tracefiles, Euro-Par 2007, section 2.2; doc/methods.md, section 9).
 *
 * The period is the lag T > 0 of the highest local maximum of the autocorrelation after its first
 * zero. It is accepted if no other local maximum reaches 0.9 of that one. Otherwise the signal is
 * closed with a growing width, which hides shorter repetitions inside a period, and searched again.
 *
 * Two details are not in the paper. Maxima near multiples of T do not count as others: with n
 * periods the second one always has about (n - 2) / (n - 1) of the first. And a period is rejected
 * if the signal has little similarity to itself one period later. */
#ifndef STRUCTURE_PERIODS_H
#define STRUCTURE_PERIODS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct signal_period {
    double length;     /* in samples; 0: the signal has no period */
    size_t begin, end; /* the samples with this period: begin <= i < end */
    size_t width;      /* of the closing, in samples; 0: not closed */
    double quality;    /* the correlation of the signal with itself one period later */
};

/* Morphological filters on windows of 2 `width` + 1 samples around each one: dilation takes the
 * largest, erosion the smallest value. Closing is a dilation and then an erosion: it fills what is
 * narrower than the window. In place; linear in `count`. False if out of memory. */
bool signal_close(float *signal, size_t count, size_t width);

/* autocorrelation[k] for 0 <= k < count, of the signal without its mean, divided by
 * autocorrelation[0]; all 0 for a constant signal. By FFT. False if out of memory. */
bool signal_autocorrelate(const float *signal, size_t count, float *autocorrelation);

/* Fails only if out of memory. */
enum status signal_find_period(const float *signal, size_t count, struct signal_period *period,
                               struct error *error);

#endif
