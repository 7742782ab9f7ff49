# Traces as schedules of other tools, and back.
noinst_LIBRARIES += libschedules.a
libschedules_a_SOURCES = src/exchange/schedules/schedule.c src/exchange/schedules/schedule.h src/exchange/schedules/walk.c \
	src/exchange/schedules/decompose.c src/exchange/schedules/decompose.h \
	src/exchange/schedules/read.c src/exchange/schedules/read.h \
	src/exchange/schedules/goal_read.c src/exchange/schedules/goal_read.h src/exchange/schedules/goal_parser.c src/exchange/schedules/goal_parser.h \
	src/exchange/schedules/goal_rank.c src/exchange/schedules/goal_rank.h src/exchange/schedules/goal_order.c \
	src/exchange/schedules/ti_read.c src/exchange/schedules/ti_read.h src/exchange/schedules/ti_line.c src/exchange/schedules/ti_line.h \
	src/exchange/schedules/ti_actions.c src/exchange/schedules/ti_actions.h \
	src/exchange/schedules/ti_index.c src/exchange/schedules/ti_index.h
schedules_libs = libschedules.a $(prediction_libs)

# The scanner and the grammar of GOAL, which goal_parser.c includes; as those of model scripts (src/predict/local.mk).
EXTRA_DIST += src/exchange/schedules/goal_grammar.y src/exchange/schedules/goal_scanner.l src/exchange/schedules/goal_grammar.inc src/exchange/schedules/goal_scanner.inc
BUILT_SOURCES += src/exchange/schedules/goal_grammar.inc src/exchange/schedules/goal_scanner.inc
MAINTAINERCLEANFILES += src/exchange/schedules/goal_grammar.inc src/exchange/schedules/goal_scanner.inc
src/exchange/schedules/goal_grammar.inc: src/exchange/schedules/goal_grammar.y
	@$(MKDIR_P) src/exchange/schedules
	$(AM_V_GEN)$(BISON) -Wall -Werror -o $@ $(top_srcdir)/src/exchange/schedules/goal_grammar.y || { rm -f $@; false; }
src/exchange/schedules/goal_scanner.inc: src/exchange/schedules/goal_scanner.l
	@$(MKDIR_P) src/exchange/schedules
	$(AM_V_GEN)$(FLEX) -o $@ $(top_srcdir)/src/exchange/schedules/goal_scanner.l || { rm -f $@; false; }
dist_doc_DATA += doc/schedules.md
