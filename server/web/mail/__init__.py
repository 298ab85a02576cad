"""Mail on pages: the built-in mailbox, and the address at which mail servers hand mail in.

In reading order, each importing only those before it:

    mime_view mailbox_pages mail_hook
"""
