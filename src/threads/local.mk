# Threads of the ranks: which of their rows belong to which parallel region, and a simulator of such teams.
libtrace_a_SOURCES += src/threads/teams.c src/threads/teams.h src/threads/posix.c src/threads/posix.h \
	src/threads/team_program.c src/threads/team_program.h src/threads/simulate.c src/threads/separate.c \
	src/threads/reschedule.c src/threads/reschedule.h src/threads/team_costs.c src/threads/team_costs.h
dist_doc_DATA += doc/threads.md
