# tests/base
