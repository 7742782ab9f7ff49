# Traces of programs that do not exist yet.
noinst_LTLIBRARIES += libprediction.la
libprediction_la_SOURCES =
libprediction_la_SOURCES += prediction/script.h
libprediction_la_SOURCES += prediction/dims.c prediction/dims.h
libprediction_la_SOURCES += prediction/hardware.c prediction/hardware.h
libprediction_la_SOURCES += prediction/measured.c prediction/measured.h
libprediction_la_SOURCES += prediction/predicted.c prediction/predicted.h
libprediction_la_SOURCES += prediction/evaluate_script.c prediction/evaluate.h prediction/evaluate_private.h
libprediction_la_SOURCES += prediction/evaluate_expression.c prediction/evaluate_procedures.c prediction/evaluate_comms.c prediction/evaluate_places.c prediction/evaluate_globals.c
libprediction_la_SOURCES += prediction/evaluate_steps.c prediction/locate.c
libprediction_la_SOURCES += prediction/from/fit_expression.c prediction/from/fit.h
libprediction_la_SOURCES += prediction/from/fit_formula.c prediction/from/fit_formula.h
libprediction_la_SOURCES += prediction/from/fit_points.c prediction/from/fit_features.c
libprediction_la_SOURCES += prediction/from/fit_search.h prediction/from/fit_whole.c
libprediction_la_SOURCES += prediction/from/fit_rank.c prediction/from/fit_truth.c
libprediction_la_SOURCES += prediction/from/fit_classes.c prediction/from/fit_table.c
libprediction_la_SOURCES += prediction/from/fit_law.c prediction/from/fit_law.h
libprediction_la_SOURCES += prediction/from/fit_seconds.c prediction/from/fit_seconds.h
libprediction_la_SOURCES += prediction/from/script_from_traces.c prediction/from/from.h
libprediction_la_SOURCES += prediction/from/actions.c prediction/from/actions.h
libprediction_la_SOURCES += prediction/from/steps.c prediction/from/steps.h
libprediction_la_SOURCES += prediction/from/repeats.c prediction/from/repeats.h
libprediction_la_SOURCES += prediction/from/outline.c prediction/from/outline.h
libprediction_la_SOURCES += prediction/from/values.c prediction/from/values.h
libprediction_la_SOURCES += prediction/from/expressions.c prediction/from/expressions.h
libprediction_la_SOURCES += prediction/from/times.c prediction/from/times.h
libprediction_la_SOURCES += prediction/from/declare_comms.c prediction/from/declare_comms.h
libprediction_la_SOURCES += prediction/from/write_script.c prediction/from/write_script.h
libprediction_la_SOURCES += prediction/from/machine_shown.c prediction/from/machine_shown.h
libprediction_la_SOURCES += prediction/arithmetic.c prediction/arithmetic.h
libprediction_la_SOURCES += prediction/language/calls.c prediction/language/calls.h
libprediction_la_SOURCES += prediction/language/declarations.c prediction/language/declarations.h
libprediction_la_SOURCES += prediction/language/expressions.c prediction/language/expressions.h
libprediction_la_SOURCES += prediction/language/names.c prediction/language/names.h
libprediction_la_SOURCES += prediction/language/parser.c prediction/language/parser.h
libprediction_la_SOURCES += prediction/language/reader.c prediction/language/reader.h
libprediction_la_SOURCES += prediction/language/script.c
libprediction_la_SOURCES += prediction/language/statements.c prediction/language/statements.h
libprediction_la_SOURCES += prediction/language/steps.c prediction/language/steps.h
libprediction_la_SOURCES += prediction/language/syntax.c prediction/language/syntax.h
libprediction_la_SOURCES += prediction/language/words.c prediction/language/words.h
libprediction_la_LIBADD = libreplay.la libtransform.la
dist_doc_DATA += doc/predict.md doc/predict-language.md

# The scanner and the grammar of model scripts, which parser.c includes. The distribution has them, so that only
# changes of the language need flex and bison. A newer one in the build directory goes first.
libprediction_la_CPPFLAGS = -I$(top_builddir) $(AM_CPPFLAGS)
EXTRA_DIST += prediction/language/grammar.y prediction/language/scanner.l \
	prediction/language/grammar.inc prediction/language/scanner.inc
BUILT_SOURCES += prediction/language/grammar.inc prediction/language/scanner.inc
MAINTAINERCLEANFILES = prediction/language/grammar.inc prediction/language/scanner.inc
prediction/language/grammar.inc: prediction/language/grammar.y
	@$(MKDIR_P) prediction/language
	$(AM_V_GEN)$(BISON) -Wall -Werror -o $@ $(top_srcdir)/prediction/language/grammar.y || { rm -f $@; false; }
prediction/language/scanner.inc: prediction/language/scanner.l
	@$(MKDIR_P) prediction/language
	$(AM_V_GEN)$(FLEX) -o $@ $(top_srcdir)/prediction/language/scanner.l || { rm -f $@; false; }
