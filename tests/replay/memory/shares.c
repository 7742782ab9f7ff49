/* Shares of bandwidth, estimated from pieces whose lengths follow from known shares; and the
 * sections of a configuration. */
#include "replay/memory/config.h"
#include "replay/memory/share_study.h"

#include "tests/check_tap.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = 2, VISITS = 40, MOST = 4 * VISITS };

/* Two ranks. Visits of rank 0 begin every 1000 ticks; rank 1 has one for every second of them. */
struct program {
    struct observed_piece pieces[MOST];
    uint32_t domains[RANKS];
    struct observed_pieces observed;
};

static void add_piece(struct program *program, uint32_t rank, uint32_t class, uint32_t visit,
                      int64_t begin, int64_t length)
{
    program->pieces[program->observed.count++] = (struct observed_piece){.threads = 1,
                                                                         .begin = begin,
                                                                         .length = length,
                                                                         .rank = rank,
                                                                         .class = class,
                                                                         .visit = visit,
                                                                         .path = 7};
}

/* Each visit of a class takes `alone` ticks, and `together` during a visit of the other rank. */
static void add_visits(struct program *program, uint32_t class, uint32_t visits, int64_t start,
                       int64_t alone, int64_t together)
{
    for (uint32_t rank = 0; rank < RANKS; rank++)
        for (uint32_t i = 0; i < visits; i++)
            if (rank == 0 || i % 2 == 0)
                add_piece(program, rank, class, i + 1, start + 1000 * (int64_t)i,
                          i % 2 == 0 ? together : alone);
}

static int compare_pieces(const void *a, const void *b)
{
    const struct observed_piece *x = a, *y = b;
    return x->rank != y->rank ? (x->rank < y->rank ? -1 : 1)
                              : (x->begin > y->begin) - (x->begin < y->begin);
}

static struct share_verdict estimate(struct program *program, size_t classes, const bool *wanted,
                                     double *shares, struct share_estimate *estimates)
{
    struct share_verdict verdict;
    struct error error;
    program->observed.pieces = program->pieces;
    program->observed.domains = program->domains;
    program->observed.rank_count = RANKS;
    program->observed.domain_count = RANKS;
    qsort(program->pieces, program->observed.count, sizeof *program->pieces, compare_pieces);
    ck_assert_int_eq(
        shares_estimate(&program->observed, classes, wanted, shares, estimates, &verdict, &error),
        STATUS_OK);
    return verdict;
}

static const bool all_wanted[2] = {true, true};

START_TEST(a_share_is_found)
{
    /* two ranks that each need f of the bandwidth take max(1, 2 f) times as long */
    static const struct {
        int64_t together;
        double share;
    } cases[] = {{160, 0.8}, {200, 1}, {120, 0.6}, {111, 0.555}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program program = {.observed = {.count = 0}};
        struct share_estimate estimates[1] = {{.share = -1}};
        double shares[1] = {0};
        add_visits(&program, 0, VISITS, 0, 100, cases[i].together);
        const struct share_verdict verdict = estimate(&program, 1, all_wanted, shares, estimates);
        ck_assert_int_eq(verdict.obstacle, SHARE_FOUND);
        ck_assert_double_eq_tol(shares[0], cases[i].share, 0.0011);
        ck_assert_double_eq(estimates[0].share, shares[0]);
        ck_assert(estimates[0].low <= shares[0] && shares[0] <= estimates[0].high);
        ck_assert_uint_eq(estimates[0].visits, VISITS + VISITS / 2);
        ck_assert(estimates[0].apart_left < 0.01 && estimates[0].apart > estimates[0].apart_left);
    }
}
END_TEST

START_TEST(without_effect_the_share_is_zero)
{
    struct program program = {.observed = {.count = 0}};
    struct share_estimate estimates[1];
    double shares[1] = {0.5};
    add_visits(&program, 0, VISITS, 0, 100, 100);
    ck_assert_int_eq(estimate(&program, 1, all_wanted, shares, estimates).obstacle, SHARE_FOUND);
    ck_assert_double_eq(shares[0], 0);
    ck_assert_double_eq(estimates[0].apart, 0);
}
END_TEST

START_TEST(one_disturbed_visit_does_not_decide)
{
    struct program program = {.observed = {.count = 0}};
    struct share_estimate estimates[1];
    double shares[1] = {0};
    add_visits(&program, 0, VISITS, 0, 100, 160);
    program.pieces[1].length = 700;
    ck_assert_int_eq(estimate(&program, 1, all_wanted, shares, estimates).obstacle, SHARE_FOUND);
    ck_assert_double_eq_tol(shares[0], 0.8, 0.05);
    ck_assert(estimates[0].low <= 0.8 && 0.8 <= estimates[0].high);
}
END_TEST

START_TEST(several_classes_are_told_apart)
{
    struct program program = {.observed = {.count = 0}};
    struct share_estimate estimates[2];
    double shares[2] = {0, 0};
    add_visits(&program, 0, VISITS, 0, 100, 160);
    add_visits(&program, 1, VISITS, 500, 100, 120);
    ck_assert_int_eq(estimate(&program, 2, all_wanted, shares, estimates).obstacle, SHARE_FOUND);
    ck_assert_double_eq_tol(shares[0], 0.8, 0.0011);
    ck_assert_double_eq_tol(shares[1], 0.6, 0.0011);
}
END_TEST

START_TEST(a_given_share_stays)
{
    static const bool wanted[2] = {true, false};
    struct program program = {.observed = {.count = 0}};
    struct share_estimate estimates[2] = {{.share = 0}, {.share = -1}};
    double shares[2] = {0, 0.25};
    add_visits(&program, 0, VISITS, 0, 100, 160);
    add_visits(&program, 1, VISITS, 500, 100, 120);
    ck_assert_int_eq(estimate(&program, 2, wanted, shares, estimates).obstacle, SHARE_FOUND);
    ck_assert_double_eq_tol(shares[0], 0.8, 0.0011);
    ck_assert_double_eq(shares[1], 0.25);
    ck_assert_double_eq(estimates[1].share, -1);
}
END_TEST

START_TEST(few_visits_are_an_obstacle)
{
    struct program program = {.observed = {.count = 0}};
    struct share_estimate estimates[1];
    double shares[1] = {0};
    add_visits(&program, 0, 20, 0, 100, 160);
    const struct share_verdict verdict = estimate(&program, 1, all_wanted, shares, estimates);
    ck_assert_int_eq(verdict.obstacle, SHARE_FEW_VISITS);
    ck_assert_double_eq(verdict.value, 30);
}
END_TEST

START_TEST(equal_company_is_an_obstacle)
{
    struct program program = {.observed = {.count = 0}};
    struct share_estimate estimates[1];
    double shares[1] = {0};
    for (uint32_t rank = 0; rank < RANKS; rank++)
        for (uint32_t i = 0; i < VISITS; i++)
            add_piece(&program, rank, 0, i + 1, 1000 * (int64_t)i, 160);
    const struct share_verdict verdict = estimate(&program, 1, all_wanted, shares, estimates);
    ck_assert_int_eq(verdict.obstacle, SHARE_NO_CONTRAST);
    ck_assert_double_lt(verdict.value, 0.02);
}
END_TEST

START_TEST(ranks_of_several_domains_share_nothing)
{
    struct program program = {.observed = {.count = 0}, .domains = {0, 1}};
    struct share_estimate estimates[1];
    double shares[1] = {0};
    add_visits(&program, 0, VISITS, 0, 100, 160);
    ck_assert_int_eq(estimate(&program, 1, all_wanted, shares, estimates).obstacle,
                     SHARE_NO_CONTRAST);
}
END_TEST

START_TEST(contradictions_are_an_obstacle)
{
    /* the effect of sharing depends on the visit: half of them slow down, the others do not */
    struct program program = {.observed = {.count = 0}};
    struct share_estimate estimates[1];
    double shares[1] = {0};
    for (uint32_t rank = 0; rank < RANKS; rank++)
        for (uint32_t i = 0; i < VISITS; i++)
            if (rank == 0 || i % 2 == 0)
                add_piece(&program, rank, 0, i + 1, 1000 * (int64_t)i,
                          i % 2 == 0 ? (i % 4 == 0 ? 190 : 102) : 100);
    const struct share_verdict verdict = estimate(&program, 1, all_wanted, shares, estimates);
    ck_assert_int_eq(verdict.obstacle, SHARE_UNCERTAIN);
    ck_assert_double_gt(verdict.value, 0.3);
}
END_TEST

/* The configuration in a text; NULL: it is rejected, and error.text says why. */
static struct memory_config *config_of(const char *text, struct ini **ini, struct error *error)
{
    struct memory_config *config = NULL;
    ck_assert_int_eq(ini_parse_text("f.ini", text, strlen(text), ini, error), STATUS_OK);
    enum status status = memory_config_read(*ini, &config, error);
    ck_assert(status == STATUS_OK || config == NULL);
    return config;
}

START_TEST(sections_are_read)
{
    struct ini *ini;
    struct error error;
    const struct memory_config *config = config_of("[memory a]\nregion = f\nshare = 0.5\n"
                                                   "[memory b]\nregion = g\ndomain_ranks = 4\n",
                                                   &ini, &error);
    ck_assert_ptr_nonnull(config);
    ck_assert_uint_eq(config->count, 2);
    ck_assert(!config->sections[0].is_auto && config->sections[1].is_auto);
    ck_assert_double_eq(config->sections[0].share, 0.5);
    ck_assert_int_eq(config->domain_ranks, 4);
    ini_destroy(ini);
    ck_assert_ptr_null(config_of("[trace]\npath = x\n", &ini, &error));
    ini_destroy(ini);
}
END_TEST

START_TEST(bad_sections_are_rejected)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"[memory a]\nregion = f\nshare = 1.5\n", "f.ini:3: [memory a]: share = 1.5: expected"},
        {"[memory a]\nregion = f\nshare = 0.5x\n", "share = 0.5x: expected"},
        {"[memory a]\nregion = f\nshare = nan\n", "share = nan: expected"},
        {"[memory a]\nshare = 0.5\n", "\"region\" or \"callpath\" is missing"},
        {"[memory a]\nregion = f\nshare = 0.5\nrecording = r.otf2\n", "the share is given"},
        {"[memory a]\nregion = f\ndomain_ranks = 2\n[memory b]\nregion = g\ndomain_ranks = 3\n",
         "another section has domain_ranks = 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ini *ini;
        struct error error = {.text = ""};
        ck_assert_ptr_null(config_of(cases[i].text, &ini, &error));
        ck_assert_msg(strstr(error.text, cases[i].message), "%s", error.text);
        ini_destroy(ini);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("memory");
    TCase *shares = tcase_create("shares");
    tcase_add_test(shares, a_share_is_found);
    tcase_add_test(shares, without_effect_the_share_is_zero);
    tcase_add_test(shares, one_disturbed_visit_does_not_decide);
    tcase_add_test(shares, several_classes_are_told_apart);
    tcase_add_test(shares, a_given_share_stays);
    tcase_add_test(shares, few_visits_are_an_obstacle);
    tcase_add_test(shares, equal_company_is_an_obstacle);
    tcase_add_test(shares, ranks_of_several_domains_share_nothing);
    tcase_add_test(shares, contradictions_are_an_obstacle);
    suite_add_tcase(suite, shares);
    TCase *sections = tcase_create("sections");
    tcase_add_test(sections, sections_are_read);
    tcase_add_test(sections, bad_sections_are_rejected);
    suite_add_tcase(suite, sections);
    return check_tap(suite);
}
