# src/measure
