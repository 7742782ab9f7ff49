# tests/measure
