"""Mail over HTTP: the built-in mailbox, and the hook through which mail servers deliver mail."""
