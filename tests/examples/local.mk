# tests/examples
