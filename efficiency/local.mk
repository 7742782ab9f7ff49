# POP's efficiencies of traces.
noinst_LTLIBRARIES += libefficiency.la
libefficiency_la_SOURCES = efficiency/measure.c efficiency/measure.h
libefficiency_la_LIBADD = libreplay.la libstructure.la libreport.la
