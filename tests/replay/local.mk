# tests/replay
