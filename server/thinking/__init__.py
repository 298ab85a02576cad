"""Long computations: in the calling thread, or in a separate process with a time limit."""
