"""Server events, with log lines and metrics, and health checks."""
