"""Mail on pages: the built-in mailbox, and the address at which mail servers hand mail in."""
