/* What a page calls (src/report/html/live.js): the functions of program.h, for one program. Arrays
 * are in the module's memory. Times are doubles, which have all ticks of less than 104 days of
 * nanoseconds. */
#include "live/program.h"

#include <stdlib.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

static struct live_program *program;
static bool *chosen; /* [path] */

unsigned char *EXPORT(module_allocate)(uint32_t size);
uint32_t EXPORT(module_open)(unsigned char *data, uint32_t size);
bool *EXPORT(module_chosen)(void);
void EXPORT(module_restart)(void);
uint32_t EXPORT(module_scale)(double factor);
uint32_t EXPORT(module_speed)(uint32_t rank, double speed);
void EXPORT(module_network)(double latency, double bandwidth, double latency_s, double rate);
double EXPORT(module_time)(void);
uint32_t EXPORT(module_problem_path)(void);
double EXPORT(module_spent)(uint32_t path);
uint32_t EXPORT(module_balance)(uint32_t by_instance);
const struct live_shares *EXPORT(module_picture)(uint32_t lanes, uint32_t columns, double ticks);
double EXPORT(module_end_of)(uint32_t rank);
const struct live_factors *EXPORT(module_factors)(void);
double EXPORT(module_ideal)(void);

unsigned char *module_allocate(uint32_t size)
{
    return malloc(size);
}

/* Frees the data, which module_allocate made. 0: damaged, or out of memory. */
uint32_t module_open(unsigned char *data, uint32_t size)
{
    program = live_open(data, size);
    free(data);
    chosen = program ? calloc(live_head_of(program)->paths + (size_t)1, sizeof *chosen) : NULL;
    return chosen != NULL;
}

/* The page sets it before module_scale and module_balance. */
bool *module_chosen(void)
{
    return chosen;
}

void module_restart(void)
{
    live_restart(program);
}

uint32_t module_scale(double factor)
{
    return live_scale(program, chosen, factor);
}

uint32_t module_speed(uint32_t rank, double speed)
{
    return live_speed(program, rank, speed);
}

uint32_t module_balance(uint32_t by_instance)
{
    return live_balance(program, chosen, by_instance != 0);
}

void module_network(double latency, double bandwidth, double latency_s, double rate)
{
    live_network(program, latency, bandwidth, latency_s, rate);
}

double module_time(void)
{
    return (double)live_time(program);
}

uint32_t module_problem_path(void)
{
    return live_problem_path(program);
}

/* Of the last module_time. */
double module_spent(uint32_t path)
{
    static const int64_t *spent;
    if (path == 0)
        spent = live_spent(program);
    return (double)spent[path];
}

const struct live_shares *module_picture(uint32_t lanes, uint32_t columns, double ticks)
{
    return live_picture(program, lanes, columns, ticks);
}

double module_end_of(uint32_t rank)
{
    return (double)live_end_of(program, rank);
}

/* After module_time. */
const struct live_factors *module_factors(void)
{
    static struct live_factors factors;
    factors = live_factors_of(program);
    return &factors;
}

double module_ideal(void)
{
    return (double)live_ideal(program);
}
