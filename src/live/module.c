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
double EXPORT(module_spent)(uint32_t path);

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

/* The page sets it before module_scale. */
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

void module_network(double latency, double bandwidth, double latency_s, double rate)
{
    live_network(program, latency, bandwidth, latency_s, rate);
}

double module_time(void)
{
    return (double)live_time(program);
}

/* Of the last module_time. */
double module_spent(uint32_t path)
{
    static const int64_t *spent;
    if (path == 0)
        spent = live_spent(program);
    return (double)spent[path];
}
