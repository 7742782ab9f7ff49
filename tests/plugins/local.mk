# Plug-ins: built outside the tree, as a user would.
TESTS += tests/plugins/plugins.sh tests/plugins/interface.sh
EXTRA_DIST += tests/plugins/plugins.sh tests/plugins/interface.sh tests/plugins/installed.bash tests/plugins/variants.c
