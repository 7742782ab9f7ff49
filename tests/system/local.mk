# tests/system
include tests/system/project.mk
include tests/system/replay.mk
