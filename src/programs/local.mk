# src/programs
