# tests/transform
