# Traces of programs that do not exist yet.
noinst_LIBRARIES += libprediction.a
libprediction_a_SOURCES =
libprediction_a_SOURCES += src/predict/script.h
libprediction_a_SOURCES += src/predict/hardware.c src/predict/hardware.h
libprediction_a_SOURCES += src/predict/measured.c src/predict/measured.h
libprediction_a_SOURCES += src/predict/predicted.c src/predict/predicted.h
libprediction_a_SOURCES += src/predict/evaluate_script.c src/predict/evaluate.h src/predict/evaluate_private.h
libprediction_a_SOURCES += src/predict/evaluate_expression.c src/predict/evaluate_statements.c src/predict/evaluate_comms.c
libprediction_a_SOURCES += src/predict/evaluate_steps.c src/predict/locate.c
libprediction_a_SOURCES += src/predict/from/fit_expression.c src/predict/from/fit.h
libprediction_a_SOURCES += src/predict/from/fit_formula.c src/predict/from/fit_formula.h
libprediction_a_SOURCES += src/predict/from/fit_points.c src/predict/from/fit_features.c
libprediction_a_SOURCES += src/predict/from/fit_search.h src/predict/from/fit_whole.c
libprediction_a_SOURCES += src/predict/from/fit_rank.c src/predict/from/fit_truth.c
libprediction_a_SOURCES += src/predict/from/fit_classes.c src/predict/from/fit_table.c
libprediction_a_SOURCES += src/predict/from/fit_law.c
libprediction_a_SOURCES += src/predict/from/fit_seconds.c
libprediction_a_SOURCES += src/predict/from/script_from_traces.c src/predict/from/from.h
libprediction_a_SOURCES += src/predict/from/call_excess.c src/predict/from/call_excess.h
libprediction_a_SOURCES += src/predict/from/self_check.c src/predict/from/self_check.h
libprediction_a_SOURCES += src/predict/from/frames.c src/predict/from/frames.h
libprediction_a_SOURCES += src/predict/from/actions.c src/predict/from/actions.h
libprediction_a_SOURCES += src/predict/from/steps.c src/predict/from/steps.h
libprediction_a_SOURCES += src/predict/from/repeats.c src/predict/from/repeats.h
libprediction_a_SOURCES += src/predict/from/outline.c src/predict/from/outline.h
libprediction_a_SOURCES += src/predict/from/values.c src/predict/from/values.h
libprediction_a_SOURCES += src/predict/from/observations.c src/predict/from/observations.h
libprediction_a_SOURCES += src/predict/from/expressions.c src/predict/from/expressions.h
libprediction_a_SOURCES += src/predict/from/times.c src/predict/from/times.h
libprediction_a_SOURCES += src/predict/from/declare_comms.c src/predict/from/declare_comms.h
libprediction_a_SOURCES += src/predict/from/write_script.c src/predict/from/write_script.h
libprediction_a_SOURCES += src/predict/from/machine_shown.c src/predict/from/machine_shown.h
libprediction_a_SOURCES += src/predict/arithmetic.c src/predict/arithmetic.h src/predict/grid.c src/predict/grid.h
libprediction_a_SOURCES += src/predict/language/calls.c
libprediction_a_SOURCES += src/predict/language/declarations.c
libprediction_a_SOURCES += src/predict/language/expressions.c
libprediction_a_SOURCES += src/predict/language/names.c src/predict/language/resolver.h
libprediction_a_SOURCES += src/predict/language/parser.c src/predict/language/parser.h
libprediction_a_SOURCES += src/predict/language/reader.c src/predict/language/reader.h
libprediction_a_SOURCES += src/predict/language/script.c
libprediction_a_SOURCES += src/predict/language/statements.c
libprediction_a_SOURCES += src/predict/language/steps.c src/predict/language/steps.h
libprediction_a_SOURCES += src/predict/language/syntax.c src/predict/language/syntax.h
libprediction_a_SOURCES += src/predict/language/words.c src/predict/language/words.h
prediction_libs = libprediction.a $(replay_libs) $(transform_libs)
dist_doc_DATA += doc/predict.md doc/predict-language.md

# The scanner and the grammar of model scripts, which parser.c includes. The distribution contains them, so that only
# changes of the language need flex and bison.
EXTRA_DIST += src/predict/language/grammar.y src/predict/language/scanner.l \
	src/predict/language/grammar.inc src/predict/language/scanner.inc
BUILT_SOURCES += src/predict/language/grammar.inc src/predict/language/scanner.inc
MAINTAINERCLEANFILES = src/predict/language/grammar.inc src/predict/language/scanner.inc
src/predict/language/grammar.inc: src/predict/language/grammar.y
	@$(MKDIR_P) src/predict/language
	$(AM_V_GEN)$(BISON) -Wall -Werror -o $@ $(top_srcdir)/src/predict/language/grammar.y || { rm -f $@; false; }
src/predict/language/scanner.inc: src/predict/language/scanner.l
	@$(MKDIR_P) src/predict/language
	$(AM_V_GEN)$(FLEX) -o $@ $(top_srcdir)/src/predict/language/scanner.l || { rm -f $@; false; }
