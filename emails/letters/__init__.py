"""Letters: what each kind says, rendered as plain text and HTML, and composed as MIME."""
