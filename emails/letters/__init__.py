"""Letters: the content of each kind, rendering as plain text and HTML, and composition as MIME."""
