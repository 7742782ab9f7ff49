# tests/system
include tests/system/project.mk
