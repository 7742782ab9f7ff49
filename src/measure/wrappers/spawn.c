#include "measure/wrappers/spawn.h"

#include "measure/recorder/measurement_state.h"
#include "measure/recorder/worlds.h"
#include "measure/wrappers/collectives.h"
#include "measure/wrappers/communicators.h"

#include "base/files.h"
#include "base/log.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t spawned_add_parent(void)
{
    MPI_Comm parent = MPI_COMM_NULL;
    if (measurement_settings.world == 0 || measurement_rank == RECORD_NONE)
        return COMM_UNKNOWN;
    PMPI_Comm_get_parent(&parent);
    return communicator_add_spawned(parent, MPI_COMM_WORLD);
}

/* The arguments of a call, which are significant at the root only. */
struct commands {
    int count;
    char **names, ***arguments; /* an element of `arguments` may be NULL, as `arguments` may */
    const int *processes;
    const MPI_Info *infos;
};

/* What the root passes to MPI in their place, and the world that the processes become. */
struct launched {
    uint32_t world;         /* first rank; 0: the commands are passed on as they are */
    char *text;             /* silas-trace and its options, each ends with a zero byte */
    size_t line_count;      /* of `text` */
    char first_rank[16];    /* the value of its option --spawned */
    char **names, ***lines; /* [command]: silas-trace, and its arguments */
    MPI_Info *infos;        /* [command]: without the key "path" */
};

/* A value of an info object; "" if it is not set. */
static void get_info(MPI_Info info, const char *key, char *value, size_t size)
{
    int set = 0;
    value[0] = '\0';
    if (info != MPI_INFO_NULL &&
        (PMPI_Info_get(info, key, (int)size - 1, value, &set) != MPI_SUCCESS || !set))
        value[0] = '\0';
}

/* Writes the command for silas-trace, which starts in the folder that the launcher starts it in.
 * False if there is no such program on this host. */
static bool locate_command(const char *name, MPI_Info info, char *found, size_t size)
{
    char wdir[PATH_MAX], folders[PATH_MAX], path[2 * PATH_MAX];
    get_info(info, "wdir", wdir, sizeof wdir);
    get_info(info, "path", folders, sizeof folders);
    if (!strchr(name, '/') && files_find_program(folders, name, path, sizeof path))
        return size >= PATH_MAX && realpath(path, found) != NULL;
    snprintf(path, sizeof path, "%s%s%s", name[0] == '/' ? "" : wdir,
             name[0] != '/' && wdir[0] ? "/" : "", name);
    if (strchr(name, '/') || !files_find_program(getenv("PATH"), name, found, size)) {
        snprintf(found, size, "%s%s", strchr(name, '/') ? "" : "./", name);
        return files_is_program(path);
    }
    snprintf(found, size, "%s", name);
    return true;
}

/* The launcher must not look for silas-trace in the folders in which it would look for the command.
 */
static MPI_Info info_without_path(MPI_Info info)
{
    MPI_Info copy = MPI_INFO_NULL;
    char folders[PATH_MAX];
    get_info(info, "path", folders, sizeof folders);
    if (info == MPI_INFO_NULL || PMPI_Info_dup(info, &copy) != MPI_SUCCESS)
        return MPI_INFO_NULL;
    if (folders[0])
        PMPI_Info_delete(copy, "path");
    return copy;
}

static size_t count_arguments(char *const *arguments)
{
    size_t count = 0;
    while (arguments && arguments[count])
        count++;
    return count;
}

/* Makes the arguments of silas-trace that start `command` with its own arguments. They are in one
 * block of memory. NULL if out of memory. */
static char **join_arguments(struct launched *launched, const char *command, char *const *arguments)
{
    static char option[] = "--spawned";
    const size_t own = count_arguments(arguments), count = launched->line_count + 2 + own + 1;
    char **joined = malloc(count * sizeof *joined + strlen(command) + 1);
    char *line = launched->text;
    size_t at = 0;
    if (!joined)
        return NULL;
    for (size_t i = 1; i < launched->line_count; i++)
        joined[at++] = line += strlen(line) + 1;
    joined[at++] = option;
    joined[at++] = launched->first_rank;
    joined[at++] = strcpy((char *)(joined + count), command);
    for (size_t i = 0; i < own; i++)
        joined[at++] = arguments[i];
    joined[at] = NULL;
    return joined;
}

static void launched_free(struct launched *launched, int count)
{
    for (int i = 0; launched->lines && i < count; i++)
        free(launched->lines[i]);
    for (int i = 0; launched->infos && i < count; i++)
        if (launched->infos[i] != MPI_INFO_NULL)
            PMPI_Info_free(&launched->infos[i]);
    free(launched->infos);
    free(launched->lines);
    free(launched->names);
    free(launched->text);
    *launched = (struct launched){0};
}

/* Cuts silas-trace's command line into its arguments. */
static bool read_launcher(struct launched *launched)
{
    launched->text = strdup(measurement_settings.command);
    launched->line_count = 1;
    for (char *at = launched->text; at && *at; at++)
        if (*at == '\n') {
            *at = '\0';
            launched->line_count++;
        }
    return launched->text != NULL;
}

/* Puts silas-trace before each command. False if one is not found or out of memory. */
static bool put_launcher(struct launched *launched, const struct commands *commands)
{
    char found[2 * PATH_MAX];
    const size_t count = (size_t)commands->count;
    launched->names = calloc(count, sizeof *launched->names);
    launched->lines = calloc(count, sizeof *launched->lines);
    launched->infos = malloc(count * sizeof *launched->infos);
    bool done = launched->names && launched->lines && launched->infos && read_launcher(launched);
    for (size_t i = 0; launched->infos && i < count; i++)
        launched->infos[i] = info_without_path(commands->infos[i]);
    for (size_t i = 0; done && i < count; i++) {
        if (!locate_command(commands->names[i], commands->infos[i], found, sizeof found)) {
            log_warning("the processes that rank %u spawns are not recorded: %s is not found",
                        measurement_rank, commands->names[i]);
            return false;
        }
        launched->names[i] = launched->text;
        launched->lines[i] =
            join_arguments(launched, found, commands->arguments ? commands->arguments[i] : NULL);
        done = launched->lines[i] != NULL;
    }
    return done;
}

static uint32_t count_processes(const struct commands *commands)
{
    int64_t sum = 0;
    for (int i = 0; i < commands->count; i++)
        sum += commands->processes[i] > 0 ? commands->processes[i] : 0;
    return sum < RECORD_NONE ? (uint32_t)sum : 0;
}

/* Called by the root. Adds the new world to the run. */
static void launch(struct launched *launched, const struct commands *commands)
{
    const uint32_t size = count_processes(commands);
    const char *directory = measurement_settings.directory;
    if (measurement_settings.reduces) {
        log_warning("the processes that rank %u spawns are not recorded with --reduce",
                    measurement_rank);
        return;
    }
    if (size == 0 || !put_launcher(launched, commands) ||
        !worlds_add(directory, size, measurement_rank, &launched->world)) {
        launched_free(launched, commands->count);
        return;
    }
    snprintf(launched->first_rank, sizeof launched->first_rank, "%u", launched->world);
}

/* Begins a call; `commands` of the root. The arguments point into `launched`, which is all zero. */
static void spawn_begins(struct launched *launched, const struct commands *commands, int root,
                         MPI_Comm comm)
{
    const struct traced_communicator *parents = communicator_find(comm);
    if (parents && parents->rank == root && commands->count > 0 && measurement_settings.command &&
        measurement_state == MEASUREMENT_FILES)
        launch(launched, commands);
}

/* Collective over the spawning processes. Returns the id of the intercommunicator in the trace. */
static uint32_t spawn_returned(const struct launched *launched, int result, int root, MPI_Comm comm,
                               const MPI_Comm *made)
{
    const char *directory = measurement_settings.directory;
    const bool spawned = result == MPI_SUCCESS && *made != MPI_COMM_NULL;
    int recorded = launched->world > 0 && spawned && worlds_is_recorded(directory, launched->world);
    if (launched->world > 0 && !spawned)
        worlds_settle(directory, launched->world);
    if (!spawned || !communicator_find(comm) ||
        PMPI_Bcast(&recorded, 1, MPI_INT, root, comm) != MPI_SUCCESS || !recorded)
        return COMM_UNKNOWN;
    return communicator_add_spawned(*made, comm);
}

/* If the intercommunicator is not recorded, the spawning processes still wait for each other. */
static void spawn_record(const struct call *call, int result, MPI_Comm comm, uint32_t added)
{
    if (result == MPI_SUCCESS)
        communicator_made(call, added == COMM_UNKNOWN ? comm : MPI_COMM_NULL, added);
}

CALL_EXPORTED int MPI_Comm_spawn(const char *command, char *argv[], int maxprocs, MPI_Info info,
                                 int root, MPI_Comm comm, MPI_Comm *intercomm,
                                 int array_of_errcodes[])
{
    struct call call = call_enter(MPI_CALL_COMM_SPAWN, CALL_SLOTS);
    char *name = (char *)command;
    const struct commands commands = {1, &name, &argv, &maxprocs, &info};
    struct launched launched = {0};
    spawn_begins(&launched, &commands, root, comm);
    if (launched.world > 0) {
        command = launched.names[0];
        argv = launched.lines[0];
        info = launched.infos[0];
    }
    const int result =
        PMPI_Comm_spawn(command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes);
    const uint32_t added = spawn_returned(&launched, result, root, comm, intercomm);
    call_return(&call);
    launched_free(&launched, 1);
    spawn_record(&call, result, comm, added);
    call_leave(&call);
    return result;
}

CALL_EXPORTED int MPI_Comm_spawn_multiple(int count, char *array_of_commands[],
                                          char **array_of_argv[], const int array_of_maxprocs[],
                                          const MPI_Info array_of_info[], int root, MPI_Comm comm,
                                          MPI_Comm *intercomm, int array_of_errcodes[])
{
    struct call call = call_enter(MPI_CALL_COMM_SPAWN_MULTIPLE, CALL_SLOTS);
    const struct commands commands = {count, array_of_commands, array_of_argv, array_of_maxprocs,
                                      array_of_info};
    struct launched launched = {0};
    spawn_begins(&launched, &commands, root, comm);
    if (launched.world > 0) {
        array_of_commands = launched.names;
        array_of_argv = launched.lines;
        array_of_info = launched.infos;
    }
    const int result =
        PMPI_Comm_spawn_multiple(count, array_of_commands, array_of_argv, array_of_maxprocs,
                                 array_of_info, root, comm, intercomm, array_of_errcodes);
    const uint32_t added = spawn_returned(&launched, result, root, comm, intercomm);
    call_return(&call);
    launched_free(&launched, count);
    spawn_record(&call, result, comm, added);
    call_leave(&call);
    return result;
}
