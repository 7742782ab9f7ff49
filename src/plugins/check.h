/* Checks of a plug-in when it is loaded. All errors name its file. */
#ifndef PLUGINS_CHECK_H
#define PLUGINS_CHECK_H

#include <silas/plugin.h>

/* Fails if `interface`, the text of SILAS_PLUGIN_VERSION, is of another version. */
enum status plugin_check_version(const char *path, const char *interface, struct error *error);

/* Fails if the plug-in, which has this version, was built with other headers. */
enum status plugin_check_layout(const char *path, const struct silas_plugin *plugin,
                                struct error *error);

/* Each fails if a descriptor is incomplete, or if its list already has an entry of that name. */
enum status plugin_check_hypothesis(const char *path, const struct hypothesis_kind *kind,
                                    struct error *error);
enum status plugin_check_pattern(const char *path, const struct pattern *pattern,
                                 struct error *error);
enum status plugin_check_format(const char *path, const struct report_format *format,
                                struct error *error);
enum status plugin_check_signal(const char *path, const struct signal_kind *kind,
                                struct error *error);

#endif
