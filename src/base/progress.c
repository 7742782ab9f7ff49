#include "base/progress.h"

#include "base/clock.h"

#include "base/log.h"
#include "base/plural.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { DEPTH_MAX = 8, LINE_MAX_LENGTH = 256 };

/* Seconds until a step is shown, and between updates on a terminal and elsewhere. */
static const double first_s = 1, terminal_s = 0.2, lines_s = 10;

/* Longer steps are announced with their expected duration. */
static const double announced_s = 10;

struct progress_step {
    const char *what, *unit;
    double total, done, begin_s;
};

static struct {
    enum progress_mode mode;
    struct progress_step steps[DEPTH_MAX]; /* the outermost first */
    int depth;     /* steps begun; those beyond DEPTH_MAX are only counted */
    double next_s; /* when the step is shown again */
    bool known, is_terminal, has_line;
} state;

void progress_set_mode(enum progress_mode mode)
{
    state.mode = mode;
}

static bool is_terminal(void)
{
    if (!state.known)
        state.is_terminal = isatty(STDERR_FILENO);
    state.known = true;
    return state.is_terminal;
}

static bool is_enabled(void)
{
    return state.mode != PROGRESS_NEVER && log_speaks() && !log_holds() &&
           (state.mode == PROGRESS_ALWAYS || is_terminal());
}

struct amount {
    char text[32];
};

/* "12.3 M": three digits with a power of 1000. */
static struct amount amount_of(double value)
{
    static const char *const powers[] = {"", " k", " M", " G", " T"};
    struct amount amount;
    size_t power = 0;
    for (; value >= 999.5 && power + 1 < sizeof powers / sizeof *powers; power++)
        value /= 1000;
    const int decimals = power == 0 && value == floor(value) ? 0
                         : value < 9.995                     ? 2
                         : value < 99.95                     ? 1
                                                             : 0;
    snprintf(amount.text, sizeof amount.text, "%.*f%s", decimals, value, powers[power]);
    return amount;
}

/* "35 s", "2 min 05 s", "3 h 20 min" */
static struct amount duration_of(double seconds)
{
    struct amount amount;
    const long whole = lround(fmin(seconds, 1e9));
    if (whole < 60)
        snprintf(amount.text, sizeof amount.text, "%ld s", whole);
    else if (whole < 3600)
        snprintf(amount.text, sizeof amount.text, "%ld min %02ld s", whole / 60, whole % 60);
    else
        snprintf(amount.text, sizeof amount.text, "%ld h %02ld min", whole / 3600,
                 whole % 3600 / 60);
    return amount;
}

void progress_text(const char *what, const char *unit, double done, double total, double seconds,
                   char *text, unsigned long size)
{
    const double rate = seconds > 0 ? done / seconds : 0;
    const double left = rate > 0 && total > done ? (total - done) / rate : 0;
    if (total <= 0)
        snprintf(text, size, "%s: %s so far", what, duration_of(seconds).text);
    else if (done <= 0)
        snprintf(text, size, "%s: 0 of %s %s, %s so far", what, amount_of(total).text, unit,
                 duration_of(seconds).text);
    else
        snprintf(text, size, "%s: %.0f %% of %s %s, %s %s/%s, %s left", what,
                 floor(100 * fmin(done / total, 1)), amount_of(total).text, unit,
                 amount_of(rate >= 1 ? rate : 60 * rate).text, unit, rate >= 1 ? "s" : "min",
                 duration_of(left).text);
}

static void erase(void)
{
    if (state.has_line)
        fputs("\r\033[K", stderr);
    state.has_line = false;
}

/* A line that is wider than the terminal could not be erased. */
static int line_width(void)
{
    struct winsize window = {0};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 ? window.ws_col - 1
                                                                               : 79;
}

/* The step that is shown: the outermost with a total, else the innermost. */
static const struct progress_step *shown_step(void)
{
    const int depth = state.depth < DEPTH_MAX ? state.depth : DEPTH_MAX;
    for (int i = 0; i < depth; i++)
        if (state.steps[i].total > 0)
            return &state.steps[i];
    return depth > 0 ? &state.steps[depth - 1] : NULL;
}

static void show(const struct progress_step *step, double time_s)
{
    char text[LINE_MAX_LENGTH], line[LINE_MAX_LENGTH + 64];
    progress_text(step->what, step->unit, step->done, step->total, time_s - step->begin_s, text,
                  sizeof text);
    snprintf(line, sizeof line, "%s: %s", log_program(), text);
    if (is_terminal()) {
        fprintf(stderr, "\r%.*s\033[K", line_width(), line);
        state.has_line = true;
    } else {
        fprintf(stderr, "%s\n", line);
    }
    fflush(stderr);
    state.next_s = time_s + (is_terminal() ? terminal_s : lines_s);
}

static void show_if_due(void)
{
    if (!is_enabled())
        return;
    const double time_s = clock_seconds();
    const struct progress_step *step = shown_step();
    if (step && time_s >= state.next_s)
        show(step, time_s);
}

static struct progress_step *innermost_step(void)
{
    return state.depth > 0 && state.depth <= DEPTH_MAX ? &state.steps[state.depth - 1] : NULL;
}

void progress_begin(const char *what, const char *unit, double total)
{
    state.depth++;
    struct progress_step *step = innermost_step();
    if (!step)
        return;
    *step = (struct progress_step){
        .what = what, .unit = unit, .total = total, .begin_s = clock_seconds()};
    log_before_message(erase);
    if (shown_step() == step)
        state.next_s = step->begin_s + first_s;
}

void progress_advance(double done)
{
    struct progress_step *step = innermost_step();
    if (step)
        step->done = done;
    show_if_due();
}

void progress_add(double more)
{
    struct progress_step *step = innermost_step();
    progress_advance(step ? step->done + more : 0);
}

/* If standard error is not a terminal, a long step gets a last line. */
static void show_end(const struct progress_step *step)
{
    const double seconds = clock_seconds() - step->begin_s;
    if (seconds < first_s || is_terminal())
        return;
    if (step->done > 0)
        fprintf(stderr, "%s: %s: %s %s in %.1f s, %s %s/s\n", log_program(), step->what,
                amount_of(step->done).text, step->unit, seconds,
                amount_of(step->done / seconds).text, step->unit);
    else
        fprintf(stderr, "%s: %s: %.1f s\n", log_program(), step->what, seconds);
}

void progress_end(void)
{
    const struct progress_step *step = innermost_step();
    if (step && is_enabled()) {
        if (shown_step() == step)
            show_end(step);
        erase();
    }
    if (state.depth > 0)
        state.depth--;
}

void progress_announce(const char *trace, int count, const char *what, double seconds, int per_core)
{
    assert(per_core > 0 && seconds >= 0);
    seconds *= per_core;
    if (seconds >= announced_s)
        log_note("%s: %d %s%s take%s about %.0f s%s", trace, count, what, plural(count),
                 count == 1 ? "s" : "", seconds,
                 per_core > 1 ? ", because processes share cores"
                              : " on cores that nothing else uses");
}
