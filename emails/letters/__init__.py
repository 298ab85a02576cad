"""The letters: what each kind says, rendered in plain text and HTML, and composed as MIME."""
