"""Long computations: in this thread, or in a process of its own with a time limit."""
