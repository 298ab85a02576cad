"""The operator's desk: games as files, the check-up of what is stored, what became of letters, halts."""
