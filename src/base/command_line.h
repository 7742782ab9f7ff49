/* The command line of this program, as text that a shell takes, for reports that say how to repeat
 * them. */
#ifndef BASE_COMMAND_LINE_H
#define BASE_COMMAND_LINE_H

/* Remembers it; `processes`: of the launcher, 1 if there was none. The text is cut off at some
 * thousand characters. */
void command_line_set(int argc, char *const *argv, int processes);

/* "mpirun -np 4 silas-replay what-if.ini"; NULL if nothing is remembered. */
const char *command_line_text(void);

#endif
