/* Prints what silas-replay reads from a configuration, or its error: the golden tests in
 * tests/base/config compare that with NAME.expected. Further arguments are those of --set. */
#include "job/replay_config.h"
#include "replay/model/model.h"
#include "replay/realtime/realtime.h"

#include <inttypes.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct replay_config *config;
    struct error error;
    if (argc < 2)
        return STATUS_USAGE;
    struct question question = {0};
    for (int i = 2; i < argc && i - 2 < OPTION_REPEATS; i++)
        question.sets[i - 2] = argv[i];
    enum status status = replay_config_load(argv[1], &question, NULL, NULL, &config, &error);
    if (status != STATUS_OK) {
        puts(error.text);
        return (int)status;
    }
    const struct realtime_options *realtime =
        replay_config_setup(config, engine_find("realtime")).options;
    const struct model_options *model = replay_config_setup(config, engine_find("model")).options;
    for (size_t i = 0; i < config->trace_count; i++)
        printf("trace %s\n", config->trace_paths[i]);
    printf("engine %s, repeat %d, baseline %s\n", config->engine->name, (int)config->repeat,
           config->baseline == BASELINE_TRACE ? "trace" : "replay");
    printf("oversubscribe %d, timeout %g s, poll gap %g s, buffer limit %" PRIu64
           ", wildcards %s\n",
           realtime->oversubscribe, realtime->timeout_s, config->poll_gap_s, realtime->buffer_limit,
           realtime->free_wildcards ? "free" : "recorded");
    printf("fill %s, stream rate %" PRIu64 ", compensate %d\n",
           realtime->stream ? "stream" : "spin", realtime->stream_rate, config->compensate);
    if (model->machine)
        printf("model: %s costs, machine %s\n", model->absolute ? "absolute" : "recorded",
               model->machine);
    printf("directory %s, overwrite %d, trace %d, formats:", config->output_directory,
           config->overwrite, config->write_trace);
    for (const struct report_format *const *format = config->formats; *format; format++)
        printf(" %s", (*format)->name);
    putchar('\n');
    if (config->write_timeline)
        puts("time line");
    for (size_t i = 0; i < config->hypothesis_count; i++) {
        const struct hypothesis *hypothesis = &config->hypotheses[i];
        char text[500];
        hypothesis_describe(hypothesis, NULL, text, sizeof text);
        printf("line %d: %s\n", hypothesis->section->line, text);
    }
    replay_config_destroy(config);
    return 0;
}
