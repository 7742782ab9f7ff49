/* The command line of this program, as text that a shell takes, for reports that say how to repeat
 * them. */
#ifndef BASE_COMMAND_LINE_H
#define BASE_COMMAND_LINE_H

/* Stores the program's name and its arguments argv[1] to argv[argc - 1]. `processes`: the number
 * that the launcher has started, 1 without a launcher. */
void command_line_set(const char *program, int argc, char *const *argv, int processes);

/* "mpirun -np 4 silas-replay what-if.ini"; NULL if nothing was stored, or if out of memory. */
const char *command_line_text(void);

#endif
