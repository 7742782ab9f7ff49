/* How well laws of computation times are found again under noise (predict/from/fit.h): planted
 * laws of n and P, seeded trials. Prints lines of the form "name: value unit". Argument: trials per
 * law, default 200. */
#include "predict/from/fit.h"

#include "tests/predict/text_value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define RANKS           4
#define RECORDINGS_MOST 5

/* Shares of the constant are those at the smallest n. */
static const struct law_planted {
    const char *name;
    double exponent, logarithm, constant;
} laws[] = {
    {"n", 1, 0, 0},
    {"n log n", 1, 1, 0},
    {"n^2", 2, 0, 0},
    {"n^3", 3, 0, 0},
    {"0.2 + 0.8 n", 1, 0, 0.2},
    {"0.5 + 0.5 n^2", 2, 0, 0.5},
    {"0.5 + 0.5 n^3", 3, 0, 0.5},
};
#define LAWS     (sizeof laws / sizeof laws[0])

#define SMALLEST 64.0

static double planted(const struct law_planted *law, double n)
{
    double f = pow(n / SMALLEST, law->exponent) * pow(log2(n) / log2(SMALLEST), law->logarithm);
    return 1e-5 * (law->constant + (1 - law->constant) * f);
}

/* Standard normal, by Box and Muller. */
static double normal(void)
{
    return sqrt(-2 * log(1 - drand48())) * cos(2 * M_PI * drand48());
}

/* The value at n of the polynomial of degree `degree` (0 to 2) by least squares of relative
 * errors. */
static double polynomial(const double *n, const double *y, uint32_t count, uint32_t degree,
                         double at)
{
    double a[3][4] = {{0}};
    uint32_t m = degree + 1;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < m; i++) {
            double x = pow(n[k] / SMALLEST, i) / y[k];
            for (uint32_t j = 0; j < m; j++)
                a[i][j] += x * pow(n[k] / SMALLEST, j) / y[k];
            a[i][m] += x;
        }
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t k = 0; k < m; k++)
            for (uint32_t j = m + 1; k != i && j-- > i;)
                a[k][j] -= a[k][i] / a[i][i] * a[i][j];
    double value = 0;
    for (uint32_t i = 0; i < m; i++)
        value += a[i][m] / a[i][i] * pow(at / SMALLEST, i);
    return value;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double value_at(const struct fitted *fitted, double n)
{
    const struct text_name items[] = {{"rank", 1}, {"size", RANKS}, {"n", n}};
    struct text_names names = {items, 3, "t", fitted->table};
    return text_value(fitted->text, &names);
}

struct trial {
    double error, polynomial_error; /* at twice the largest n */
    bool recovered; /* it grows as it should: the exponent at 16 times the largest n is right */
};

static struct trial try_law(const struct law_planted *law, uint32_t recordings, double noise)
{
    double n[RECORDINGS_MOST], y[RECORDINGS_MOST];
    uint32_t sizes[RECORDINGS_MOST], count = 0;
    struct observation observations[RECORDINGS_MOST * RANKS];
    for (uint32_t k = 0; k < recordings; k++) {
        n[k] = SMALLEST * exp2(k);
        sizes[k] = RANKS;
        /* Noise of a recording, common to its ranks: a machine that is faster this time. */
        y[k] = planted(law, n[k]) * exp(noise * normal());
        for (uint32_t rank = 0; rank < RANKS; rank++)
            observations[count++] =
                (struct observation){.recording = k, .rank = rank, .value = y[k], .weight = 100};
    }
    struct fit_parameter parameter = {"n", n};
    struct fit_context context = {
        .recordings = recordings, .sizes = sizes, .parameters = &parameter, .parameter_count = 1};
    struct fitted fitted;
    if (!fit_expression(FIT_SECONDS, &context, observations, count, "t", &fitted))
        exit(3);
    double largest = n[recordings - 1], truth = planted(law, 2 * largest);
    struct trial trial;
    trial.error = fabs(value_at(&fitted, 2 * largest) / truth - 1);
    uint32_t degree = recordings == 2 ? 1 : 2;
    trial.polynomial_error = fabs(polynomial(n, y, recordings, degree, 2 * largest) / truth - 1);
    double grows = log2(value_at(&fitted, 32 * largest) / value_at(&fitted, 16 * largest));
    double should = log2(planted(law, 32 * largest) / planted(law, 16 * largest));
    trial.recovered = fabs(grows - should) < 0.08;
    if (getenv("FIT_SHOW") != NULL && !trial.recovered)
        fprintf(stderr, "%s, %u recordings: %s\n", law->name, recordings, fitted.text);
    fitted_clear(&fitted);
    return trial;
}

static void try_all(uint32_t recordings, double noise, uint32_t trials, bool by_law)
{
    uint32_t all = trials * LAWS, recovered = 0;
    double *errors = calloc(all, sizeof *errors), *others = calloc(all, sizeof *others);
    if (errors == NULL || others == NULL)
        exit(3);
    for (uint32_t l = 0; l < LAWS; l++) {
        uint32_t found = 0;
        for (uint32_t i = 0; i < trials; i++) {
            struct trial trial = try_law(&laws[l], recordings, noise);
            errors[l * trials + i] = trial.error;
            others[l * trials + i] = trial.polynomial_error;
            found += trial.recovered;
        }
        recovered += found;
        if (by_law)
            printf("  %s: %.1f %% recovered\n", laws[l].name, 100.0 * found / trials);
    }
    qsort(errors, all, sizeof *errors, by_value);
    qsort(others, all, sizeof *others, by_value);
    printf("%u recordings, %g %% noise, laws recovered: %.1f %%\n", recordings, 100 * noise,
           100.0 * recovered / all);
    printf("%u recordings, %g %% noise, error at twice the largest n, median; 90 %%: "
           "%.2f; %.2f %%. Polynomial of degree %d: %.2f; %.2f %%\n",
           recordings, 100 * noise, 100 * errors[all / 2], 100 * errors[all * 9 / 10],
           recordings == 2 ? 1 : 2, 100 * others[all / 2], 100 * others[all * 9 / 10]);
    free(errors);
    free(others);
}

int main(int argc, char **argv)
{
    uint32_t trials = argc > 1 ? (uint32_t)atoi(argv[1]) : 200;
    const uint32_t recordings[] = {2, 3, 5};
    const double noises[] = {0.01, 0.02, 0.05, 0.1};
    srand48(12);
    for (uint32_t r = 0; r < 3; r++)
        for (uint32_t k = 0; k < 4; k++)
            try_all(recordings[r], noises[k], trials, noises[k] == 0.02);
    return 0;
}
