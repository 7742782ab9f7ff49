/* Candidates that each family proposes for small traces, with any number of processes. */
#include "advise/candidate.h"
#include "base/mpi/handles.h"
#include "tests/mpi_check.h"
#include "tests/transform/built_trace.h"
#include "trace/match/match.h"

#include <string.h>

/* The candidates of one trace. */
struct proposals {
    struct processes *processes;
    struct trace *trace;
    struct facts *facts;
    struct candidate_list list;
};

/* Proposes the candidates of all families for a trace of two ranks, each with a worker (NULL:
 * without). */
static void open_proposals_with(struct proposals *proposals, struct processes *processes,
                                const char *first, const char *second, const char *worker)
{
    const char *const ranks[] = {first, second};
    struct error error;
    *proposals = (struct proposals){.list = {.arena = arena_create()}};
    proposals->trace = built_trace(processes, ranks, (const char *const[]){worker, worker}, 2);
    enum status status = trace_match(proposals->trace, &error)
                             ?: facts_gather(proposals->trace, &proposals->facts, &error);
    for (size_t i = 0; status == STATUS_OK && candidate_families[i]; i++)
        status = candidate_families[i]->propose(proposals->facts, &proposals->list, &error);
    if (status != STATUS_OK)
        fprintf(stderr, "# %s\n", error.text);
    mpi_check(status == STATUS_OK, "candidates are proposed");
}

static void open_proposals(struct proposals *proposals, struct processes *processes,
                           const char *first, const char *second)
{
    open_proposals_with(proposals, processes, first, second, NULL);
}

static void close_proposals(struct proposals *proposals)
{
    free(proposals->list.all.items);
    arena_destroy(proposals->list.arena);
    facts_destroy(proposals->facts);
    trace_destroy(proposals->trace);
}

/* The first candidate of this kind; NULL: there is none. */
static const struct advice_candidate *find_kind(const struct proposals *proposals, const char *kind)
{
    for (size_t i = 0; i < proposals->list.all.count; i++)
        if (strcmp(proposals->list.all.items[i].kind, kind) == 0)
            return &proposals->list.all.items[i];
    return NULL;
}

static bool has_text(const char *text, const char *wanted)
{
    if (text && strstr(text, wanted))
        return true;
    fprintf(stderr, "# \"%s\" is not in: %s\n", wanted, text ? text : "(none)");
    return false;
}

/* Both ranks compute 50 and enter the barrier at the same time. */
static void check_balanced(struct processes *processes)
{
    static const char rank[] = "0:<app 0:+main 0:+work 50:-work 50:+MPI_Barrier 50:B 60:E "
                               "60:-MPI_Barrier 100:-main 100:>";
    struct proposals proposals;
    open_proposals(&proposals, processes, rank, rank);
    mpi_check(proposals.list.all.count == 0, "nothing is proposed for a balanced program");
    close_proposals(&proposals);
}

/* Rank 0 computes 80 in work and rank 1 computes 20, so rank 1 waits for 60. */
static void check_imbalance(struct processes *processes)
{
    struct proposals proposals;
    open_proposals(&proposals, processes,
                   "0:<app 0:+main 0:+work 80:-work 80:+MPI_Barrier 80:B 90:E 90:-MPI_Barrier "
                   "100:-main 100:>",
                   "0:<app 0:+main 0:+work 20:-work 20:+MPI_Barrier 20:B 90:E 90:-MPI_Barrier "
                   "100:-main 100:>");
    const struct advice_candidate *found = NULL;
    for (size_t i = 0; i < proposals.list.all.count; i++)
        if (strcmp(proposals.list.all.items[i].sections, "[balance work]\nregion = work\n") == 0)
            found = &proposals.list.all.items[i];
    mpi_check(found && strcmp(found->kind, "imbalance") == 0, "an imbalance is found");
    mpi_check(found && has_text(found->change, "Balance work among the ranks: the slowest rank "
                                               "computes 60 % longer in it than the mean."),
              "... and says by how much");
    mpi_check(found && found->ranks == 2 && found->narrows, "... for both ranks");
    mpi_check(!find_kind(&proposals, "needless-barrier"),
              "a barrier that is called once is not proposed");
    close_proposals(&proposals);
}

/* A worker needs longer for its part of a loop, and then waits for the critical section; the master
 * computes alone afterwards. */
static void check_threads(struct processes *processes)
{
    static const char rank[] =
        "0:+main 0:+!$omp_parallel 0:+!$omp_for 10:-!$omp_for 10:+!$omp_barrier 60:-!$omp_barrier "
        "60:+!$omp_critical 60:+!$omp_critical_sblock 70:-!$omp_critical_sblock 70:-!$omp_critical "
        "70:+!$omp_implicit_barrier 80:-!$omp_implicit_barrier 80:-!$omp_parallel 80:+sum 100:-sum "
        "100:-main";
    static const char worker[] =
        "0:+!$omp_parallel 0:+!$omp_for 60:-!$omp_for 60:+!$omp_barrier 60:-!$omp_barrier "
        "60:+!$omp_critical 70:+!$omp_critical_sblock 80:-!$omp_critical_sblock 80:-!$omp_critical "
        "80:+!$omp_implicit_barrier 80:-!$omp_implicit_barrier 80:-!$omp_parallel";
    struct proposals proposals;
    open_proposals_with(&proposals, processes, rank, rank, worker);
    const struct advice_candidate *found = find_kind(&proposals, "thread-imbalance");
    mpi_check(found && strcmp(found->sections, "[balance threads]\nregion = !$omp_parallel\n") == 0,
              "threads that wait at a barrier of a parallel region: its work is balanced");
    found = find_kind(&proposals, "contended-lock");
    mpi_check(found && strcmp(found->sections,
                              "[critical section]\nregion = !$omp_critical\nremove = yes\n") == 0,
              "a critical section that threads wait for is removed");
    found = find_kind(&proposals, "serial-part");
    mpi_check(found && has_text(found->change, "Run sum in parallel: 1 worker thread per rank is "
                                               "idle while its master computes there."),
              "a serial part is found");
    mpi_check(found &&
                  strcmp(found->sections,
                         "[scale serial]\nregion = sum\nmode = exclusive\nfactor = 0.5\n") == 0,
              "... and divided among the threads");
    close_proposals(&proposals);
}

/* Only rank 0 executes check, and rank 1 waits for it. */
static void check_extra_work(struct processes *processes)
{
    struct proposals proposals;
    open_proposals(&proposals, processes,
                   "0:<app 0:+main 20:+check 70:-check 70:+MPI_Send 70:S1,1,8 80:-MPI_Send "
                   "100:-main 100:>",
                   "0:<app 0:+main 20:+MPI_Recv 80:R0,1,8 80:-MPI_Recv 100:-main 100:>");
    const struct advice_candidate *found = find_kind(&proposals, "extra-work");
    mpi_check(found && has_text(found->change, "Only rank 0 executes check, and other ranks wait "
                                               "for it: share the work among all ranks, do it "
                                               "while no rank waits, or avoid it."),
              "extra work says who does what, and what to do");
    mpi_check(found && strcmp(found->sections, "[scale work]\nregion = check\nfactor = 0\n") == 0,
              "... its largest effect is that the work vanishes");
    mpi_check(found && strcmp(found->least, "[scale work]\nregion = check\nfactor = 0.5\n") == 0,
              "... its smallest effect is that both ranks share it");
    close_proposals(&proposals);
}

/* Three barriers, before each of which the other rank is late. */
static void check_barriers(struct processes *processes)
{
    struct proposals proposals;
    open_proposals(
        &proposals, processes,
        "0:<app 0:+main 20:+MPI_Barrier 20:B 30:E 30:-MPI_Barrier 40:+MPI_Barrier 40:B "
        "60:E 60:-MPI_Barrier 80:+MPI_Barrier 80:B 90:E 90:-MPI_Barrier 100:-main 100:>",
        "0:<app 0:+main 10:+MPI_Barrier 10:B 30:E 30:-MPI_Barrier 50:+MPI_Barrier 50:B "
        "60:E 60:-MPI_Barrier 70:+MPI_Barrier 70:B 90:E 90:-MPI_Barrier 100:-main 100:>");
    const struct advice_candidate *found = find_kind(&proposals, "needless-barrier");
    mpi_check(found && has_text(found->change, "Leave out MPI_Barrier in "), "needless barriers");
    mpi_check(found && has_text(found->sections, "operation = MPI_Barrier\n"), "... are cut");
    mpi_check(found && found->effort == EFFORT_SMALL && found->check, "... with what to check");
    close_proposals(&proposals);
}

/* Half of the messages are empty. */
static void check_empty_messages(struct processes *processes)
{
    struct proposals proposals;
    open_proposals(&proposals, processes,
                   "0:<app 0:+main 20:+MPI_Send 20:S1,1,0 30:-MPI_Send 40:+MPI_Send 40:S1,1,8 "
                   "50:-MPI_Send 100:-main 100:>",
                   "0:<app 0:+main 10:+MPI_Recv 30:R0,1,0 30:-MPI_Recv 30:+MPI_Recv 50:R0,1,8 "
                   "50:-MPI_Recv 100:-main 100:>");
    const struct advice_candidate *found = find_kind(&proposals, "empty-messages");
    mpi_check(found && has_text(found->change, "Do not send messages without data in main: 1 of "
                                               "the program's 2 messages are empty"),
              "empty messages are counted");
    mpi_check(found && has_text(found->sections, "size = 0\nregion = main\n"), "... and cut");
    close_proposals(&proposals);
}

/* A name that would end a line, begin a comment or be a list becomes a pattern. */
static void check_names(struct processes *processes)
{
    static const char *const ranks[] = {"0:<app 0:+a;b[1],* 9:-a;b[1],* 10:>",
                                        "0:<app 0:+plain, 9:-plain, 10:>"};
    struct trace *trace = built_trace(processes, ranks, (const char *const[]){NULL, NULL}, 2);
    struct candidate_list list = {.arena = arena_create()};
    bool hostile = false, plain = false;
    for (uint32_t r = 0; r < trace->definitions->region_count; r++) {
        const char *value = candidate_region_pattern(&list, trace, r);
        hostile |= strcmp(value, "a?b?1???") == 0;
        plain |= strcmp(value, "plain,") == 0;
    }
    mpi_check(hostile, "a name that a configuration cannot have becomes a pattern");
    mpi_check(plain, "any other name stays as it is");
    arena_destroy(list.arena);
    trace_destroy(trace);
}

int main(int argc, char **argv)
{
    struct processes processes;
    struct error error;
    mpi_check_begin(&argc, &argv);
    if (processes_open(&processes, MPI_COMM_WORLD, &error) != STATUS_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);
    check_balanced(&processes);
    check_imbalance(&processes);
    check_threads(&processes);
    check_extra_work(&processes);
    check_barriers(&processes);
    check_empty_messages(&processes);
    check_names(&processes);
    processes_close(&processes);
    return mpi_check_end();
}
