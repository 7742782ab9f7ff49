# POP's efficiencies of traces.
noinst_LTLIBRARIES += libefficiency.la
libefficiency_la_SOURCES = src/results/efficiency/measure.c src/results/efficiency/measure.h src/results/efficiency/parts.h \
	src/results/efficiency/sweep.c \
	src/results/efficiency/recording.c src/results/efficiency/recording.h src/results/efficiency/text.c src/results/efficiency/write.c
libefficiency_la_LIBADD = libreplay.la libstructure.la libreduction.la libreport.la

bin_PROGRAMS += silas-pop
silas_pop_SOURCES = src/programs/silas-pop.c
silas_pop_LDADD = libprogram.la libjob.la
dist_man_MANS += doc/silas-pop.1
dist_doc_DATA += doc/pop.schema.json
