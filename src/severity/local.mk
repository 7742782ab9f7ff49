# The severity store: what a pattern search yields, reports show and runs are compared by.
noinst_LIBRARIES += libseverity.a
libseverity_a_SOURCES = src/severity/severity.h src/severity/severity.c \
	src/severity/path_table.c src/severity/path_table.h \
	src/severity/metric_list.h src/severity/metrics.h src/severity/metrics.c \
	src/severity/site_names.c src/severity/site_names.h \
	src/severity/gather.c src/severity/sum.c
severity_libs = libseverity.a $(base_libs)
