# POP's efficiencies of traces.
noinst_LTLIBRARIES += libefficiency.la
libefficiency_la_SOURCES = efficiency/measure.c efficiency/measure.h efficiency/parts.h \
	efficiency/sweep.c \
	efficiency/recording.c efficiency/recording.h efficiency/text.c efficiency/write.c
libefficiency_la_LIBADD = libreplay.la libstructure.la libreduction.la libreport.la

bin_PROGRAMS += silas-pop
silas_pop_SOURCES = src/programs/silas-pop.c
silas_pop_LDADD = libprogram.la libjob.la
dist_man_MANS += doc/silas-pop.1
dist_doc_DATA += doc/pop.schema.json
