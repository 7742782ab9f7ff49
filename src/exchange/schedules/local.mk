# Traces as schedules of other tools, and back.
noinst_LTLIBRARIES += libschedules.la
libschedules_la_SOURCES = schedules/schedule.c schedules/schedule.h schedules/walk.c \
	schedules/decompose.c schedules/decompose.h \
	schedules/read.c schedules/read.h \
	schedules/goal_read.c schedules/goal_read.h schedules/goal_parser.c schedules/goal_parser.h \
	schedules/goal_rank.c schedules/goal_rank.h schedules/goal_order.c \
	schedules/ti_read.c schedules/ti_read.h schedules/ti_line.c schedules/ti_line.h
libschedules_la_LIBADD = libprediction.la

# The scanner and the grammar of GOAL, which goal_parser.c includes; as those of model scripts (prediction/local.mk).
libschedules_la_CPPFLAGS = -I$(top_builddir) $(AM_CPPFLAGS)
EXTRA_DIST += schedules/goal_grammar.y schedules/goal_scanner.l schedules/goal_grammar.inc schedules/goal_scanner.inc
BUILT_SOURCES += schedules/goal_grammar.inc schedules/goal_scanner.inc
MAINTAINERCLEANFILES += schedules/goal_grammar.inc schedules/goal_scanner.inc
schedules/goal_grammar.inc: schedules/goal_grammar.y
	@$(MKDIR_P) schedules
	$(AM_V_GEN)$(BISON) -Wall -Werror -o $@ $(top_srcdir)/schedules/goal_grammar.y || { rm -f $@; false; }
schedules/goal_scanner.inc: schedules/goal_scanner.l
	@$(MKDIR_P) schedules
	$(AM_V_GEN)$(FLEX) -o $@ $(top_srcdir)/schedules/goal_scanner.l || { rm -f $@; false; }
dist_doc_DATA += doc/schedules.md
