# Traces of programs that do not exist yet.
noinst_LTLIBRARIES += libprediction.la
libprediction_la_SOURCES =
libprediction_la_SOURCES += prediction/script.h
libprediction_la_SOURCES += prediction/dims.c prediction/dims.h
libprediction_la_SOURCES += prediction/hardware.c prediction/hardware.h
libprediction_la_SOURCES += prediction/measured.c prediction/measured.h
libprediction_la_SOURCES += prediction/trace_builder.h prediction/trace_builder_private.h
libprediction_la_SOURCES += prediction/build_definitions.c prediction/build_events.c
libprediction_la_SOURCES += prediction/predicted.c prediction/predicted.h
libprediction_la_SOURCES += prediction/evaluate.c prediction/evaluate.h prediction/evaluate_private.h
libprediction_la_SOURCES += prediction/evaluate_expression.c prediction/evaluate_comms.c
libprediction_la_SOURCES += prediction/evaluate_steps.c
libprediction_la_SOURCES += prediction/from/fit.h
libprediction_la_SOURCES += prediction/from/from.h
libprediction_la_LIBADD = libreplay.la libtransform.la
dist_doc_DATA += doc/predict.md
