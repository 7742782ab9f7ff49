#include "measure/launch/launch.h"

#include "measure/recorder/keeper.h"
#include "measure/recorder/worlds.h"

#include "base/log.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum status launch_run_spawned(const struct launch_options *options, char *const *command,
                               struct error *error)
{
    static struct launch_target target;
    bool last;
    assert(options->world > 0);
    enum status status = launch_find_target(options->program, &target, error);
    if (!status)
        status = launch_set_environment(options, command, &target, options->output, error);
    if (!status && worlds_start(options->output, options->world)) {
        status = launch_keeper(options, &target, options->output, error);
        if (!status)
            execv(target.path, options->program);
        worlds_end(options->output, options->world, RECORD_NONE, &last);
    }
    if (status && options->first_rank)
        log_warning("spawned processes are not recorded: %s", error->text);
    unsetenv(KEEPER_ENV_DIRECTORY);
    execvp(options->program[0], options->program);
    return error_set(error, STATUS_INPUT, "cannot run %s: %s", options->program[0],
                     strerror(errno));
}
