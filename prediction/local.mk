# Traces of programs that do not exist yet.
noinst_LTLIBRARIES += libprediction.la
libprediction_la_SOURCES = prediction/script.h prediction/dims.c prediction/dims.h \
	prediction/hardware.h prediction/measured.h prediction/trace_builder.h prediction/predicted.h \
	prediction/from/fit.h prediction/from/from.h
libprediction_la_SOURCES += prediction/hardware.c
libprediction_la_LIBADD = libreplay.la libtransform.la
dist_doc_DATA += doc/predict.md
