# The option --plugin. Programs with it are linked with $(plugin_ldflags), and again if the list changes.
noinst_LIBRARIES += libpluginoption.a
libpluginoption_a_SOURCES = src/programs/plugin_option.c src/programs/plugin_option.h
pluginoption_libs = libpluginoption.a $(plugins_libs) $(base_libs)

# The programs that write severities: the search, and the programs that read its results.
noinst_LIBRARIES += libseverityoutput.a
libseverityoutput_a_SOURCES = src/programs/severity_output.c src/programs/severity_output.h
severityoutput_libs = libseverityoutput.a $(program_libs) $(report_libs)

bin_PROGRAMS += silas-analyze
silas_analyze_SOURCES = src/programs/silas-analyze.c
silas_analyze_LDADD = $(advice_libs) $(job_libs) $(severityoutput_libs) $(pluginoption_libs)
silas_analyze_LINK = $(plugin_link)
EXTRA_silas_analyze_DEPENDENCIES = src/plugins/functions.symbols
dist_man_MANS += doc/silas-analyze.1

bin_PROGRAMS += silas-report silas-diff
silas_report_SOURCES = src/programs/silas-report.c
silas_report_LDADD = $(results_libs) $(job_libs) $(severityoutput_libs) $(pluginoption_libs)
silas_report_LINK = $(plugin_link)
EXTRA_silas_report_DEPENDENCIES = src/plugins/functions.symbols
silas_diff_SOURCES = src/programs/silas-diff.c
silas_diff_LDADD = $(exports_libs) $(results_libs) $(job_libs) $(severityoutput_libs) $(pluginoption_libs)
silas_diff_LINK = $(plugin_link)
EXTRA_silas_diff_DEPENDENCIES = src/plugins/functions.symbols
dist_man_MANS += doc/silas-report.1 doc/silas-diff.1

bin_PROGRAMS += silas-verify
silas_verify_SOURCES = src/programs/silas-verify.c
silas_verify_LDADD = $(program_libs) $(verify_libs) $(pluginoption_libs)
silas_verify_LINK = $(plugin_link)
EXTRA_silas_verify_DEPENDENCIES = src/plugins/functions.symbols
dist_man_MANS += doc/silas-verify.1
