# patterns
