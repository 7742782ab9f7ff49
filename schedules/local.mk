# Traces as schedules of other tools, and back.
noinst_LTLIBRARIES += libschedules.la
libschedules_la_SOURCES = schedules/schedule.c schedules/schedule.h schedules/walk.c \
	schedules/decompose.c schedules/decompose.h \
	schedules/format.h schedules/format_list.c schedules/format_template.c \
	schedules/goal_write.c schedules/simgrid_write.c
libschedules_la_LIBADD = libtrace.la libbase.la

bin_PROGRAMS += silas-export
silas_export_SOURCES = src/programs/silas-export.c
silas_export_LDADD = libprogram.la libschedules.la libreduction.la
dist_man_MANS += doc/silas-export.1
dist_doc_DATA += doc/schedules.md
