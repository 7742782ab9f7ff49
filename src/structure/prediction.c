#include "structure/prediction.h"

#include "base/array.h"
#include "base/map.h"

#include <stdlib.h>

/* The lengths of sequences, and the part of the calls that must be predicted from them: two calls,
 * which are often ambiguous, and as many as in a short cycle. */
static const uint32_t lengths[PREDICTION_LENGTHS] = {2, 8};
static const double parts[PREDICTION_LENGTHS] = {0.75, 0.9};

/* What follows a sequence of calls. */
struct followed {
    uint32_t most, times; /* the call that mostly follows it, and how often */
};

typedef ARRAY(struct followed) followed_list;

static uint64_t hash_before(const uint32_t *what, size_t i, uint32_t length)
{
    uint64_t hash = 0;
    for (size_t k = i - length; k < i; k++)
        hash = map_mix(hash + what[k] + 1);
    return hash;
}

/* Sets context[i] to the number of the calls before call i. */
static bool list_contexts(const uint32_t *what, size_t count, uint32_t length, uint32_t *context,
                          followed_list *followed)
{
    struct map contexts = {0}, followers = {0};
    bool allocated = true;
    for (size_t i = length; i < count && allocated; i++) {
        const uint64_t hash = hash_before(what, i, length);
        uint32_t *number = map_at(&contexts, hash, (uint32_t)contexts.count);
        uint32_t *times = map_at(&followers, map_mix(hash) ^ what[i], 0);
        allocated = number && times &&
                    (*number < followed->count || array_push(followed, (struct followed){0}));
        if (!allocated)
            break;
        struct followed *most = &followed->items[*number];
        context[i] = *number;
        if (++*times > most->times)
            *most = (struct followed){what[i], *times};
    }
    map_clear(&contexts);
    map_clear(&followers);
    return allocated;
}

static bool sum_predicted(const uint32_t *what, size_t count, uint32_t length, uint32_t *repeated,
                          uint32_t *predicted)
{
    followed_list followed = {0};
    const bool allocated = list_contexts(what, count, length, repeated, &followed);
    bool *seen = calloc(followed.count + 1, sizeof *seen);
    uint32_t repeated_sum = 0, predicted_sum = 0;
    for (size_t i = 0; i <= count && allocated && seen; i++) {
        const uint32_t context = repeated[i];
        repeated[i] = repeated_sum;
        predicted[i] = predicted_sum;
        if (i < length || i == count)
            continue;
        repeated_sum += seen[context];
        predicted_sum += seen[context] && followed.items[context].most == what[i];
        seen[context] = true;
    }
    free(followed.items);
    free(seen);
    return allocated && seen;
}

bool call_prediction_make(const struct rank_calls *rank, struct call_prediction *prediction)
{
    const size_t size = (rank->count + 1) * sizeof(uint32_t);
    bool allocated = true;
    *prediction = (struct call_prediction){0};
    for (int l = 0; l < PREDICTION_LENGTHS && allocated; l++) {
        prediction->repeated[l] = malloc(size);
        prediction->predicted[l] = malloc(size);
        allocated = prediction->repeated[l] && prediction->predicted[l] &&
                    sum_predicted(rank->which[ALIKE_IN_PATH], rank->count, lengths[l],
                                  prediction->repeated[l], prediction->predicted[l]);
    }
    if (!allocated)
        call_prediction_clear(prediction);
    return allocated;
}

void call_prediction_clear(struct call_prediction *prediction)
{
    for (int l = 0; l < PREDICTION_LENGTHS; l++) {
        free(prediction->repeated[l]);
        free(prediction->predicted[l]);
    }
    *prediction = (struct call_prediction){0};
}

bool calls_are_predictable(const struct call_prediction *prediction, uint32_t from, uint32_t to)
{
    for (int l = 0; l < PREDICTION_LENGTHS; l++) {
        const double repeated = prediction->repeated[l][to] - prediction->repeated[l][from];
        const double predicted = prediction->predicted[l][to] - prediction->predicted[l][from];
        if (2 * repeated >= (double)(to - from) && predicted >= parts[l] * repeated)
            return true;
    }
    return false;
}
