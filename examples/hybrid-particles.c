/* HYBRID-PARTICLES: a lock that threads contend for. The particles of a rank are divided over its
 * threads. Each thread moves groups of particles and adds their charge to the grid of the rank, in
 * a critical section. With --private each thread has a grid; the grids are added up when all
 * particles have moved. */
#include "examples/example.h"
#include <silas/region.h>

#include <math.h>
#include <omp.h>
#include <stdlib.h>

enum { CELLS = 1024, MOST_THREADS = 256 };

struct particles {
    int count, group, push;    /* push: steps of the mover */
    double *position, *charge; /* charge: of the grid's cells */
    double *own_charge;        /* [thread][cell] */
};

static void move(struct particles *particles, int first, int end)
{
    SILAS_REGION_BEGIN("move");
    for (int i = first; i < end; i++) {
        double at = particles->position[i];
        for (int step = 0; step < particles->push; step++)
            at = at + 0.01 * (0.5 - at) * (at + 0.25) + 0.003;
        particles->position[i] = at - floor(at);
    }
    SILAS_REGION_END("move");
}

static void deposit(const struct particles *particles, int first, int end, double *charge)
{
    SILAS_REGION_BEGIN("deposit");
    for (int i = first; i < end; i++) {
        const double at = particles->position[i] * CELLS;
        for (int shape = -8; shape <= 8; shape++) /* a particle is as wide as 17 cells */
            charge[((int)at + shape + CELLS) % CELLS] += 1.0 / 17;
    }
    SILAS_REGION_END("deposit");
}

static void add_own_charges(struct particles *particles)
{
#pragma omp for schedule(static)
    for (int cell = 0; cell < CELLS; cell++)
        for (int thread = 0; thread < omp_get_num_threads(); thread++) {
            particles->charge[cell] += particles->own_charge[thread * CELLS + cell];
            particles->own_charge[thread * CELLS + cell] = 0;
        }
}

static void advance(struct particles *particles, bool private)
{
#pragma omp parallel
    {
        double *own = particles->own_charge + omp_get_thread_num() * CELLS;
#pragma omp for schedule(static)
        for (int first = 0; first < particles->count; first += particles->group) {
            const int behind = first + particles->group;
            const int end = behind < particles->count ? behind : particles->count;
            move(particles, first, end);
            if (private)
                deposit(particles, first, end, own);
            else
#pragma omp critical
                deposit(particles, first, end, particles->charge);
        }
        if (private)
            add_own_charges(particles);
    }
}

/* The charge of all ranks' particles in one step; clears the grid. */
static double total_charge(struct particles *particles)
{
    double sum = 0;
    MPI_Allreduce(MPI_IN_PLACE, particles->charge, CELLS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int cell = 0; cell < CELLS; cell++) {
        sum += particles->charge[cell];
        particles->charge[cell] = 0;
    }
    return sum;
}

int main(int argc, char **argv)
{
    struct particles particles = {.count = 9600, .group = 200, .push = 8};
    int threads = 2;
    const struct example_option options[] = {
        {"particles", "of a rank", 1, &particles.count},
        {"group", "particles that move before their charge is added", 1, &particles.group},
        {"push", "steps of the mover", 1, &particles.push},
        {"threads", "threads of a rank", 1, &threads},
        {0},
    };
    struct example example = {
        .name = "hybrid-particles",
        .description = "Threads that contend for the grid to which they add charge.",
        .fix = "private",
        .fix_description = "each thread has a grid, and the grids are added up",
        .options = options,
        .iterations = 400,
    };
    int exit_code;
    if (!example_begin(&example, argc, argv, &exit_code))
        return exit_code;
    if (threads > MOST_THREADS)
        return example_refuse(&example, "--threads: more than 256");
    omp_set_num_threads(threads);
    particles.position = allocate_doubles((size_t)particles.count);
    particles.charge = allocate_doubles(CELLS);
    particles.own_charge = allocate_doubles((size_t)threads * CELLS);
    for (int i = 0; i < particles.count; i++)
        particles.position[i] = (double)i / particles.count;
    const double expected = (double)particles.count * example.size;
    advance(&particles, example.fixed); /* the threads begin */
    bool correct = fabs(total_charge(&particles) - expected) < 1e-6 * expected;
    example_restart(&example);

    for (int i = 0; i < example.iterations; i++) {
        advance(&particles, example.fixed);
        correct = correct && fabs(total_charge(&particles) - expected) < 1e-6 * expected;
    }

    example_report(&example);
    free(particles.position);
    free(particles.charge);
    free(particles.own_charge);
    return example_end(&example, correct);
}
