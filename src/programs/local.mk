# One thin main a program.
bin_PROGRAMS += silas
silas_SOURCES = src/programs/silas.c
silas_LDADD = libbase.la
