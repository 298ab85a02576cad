"""What shows at the end of a game that nothing in its log was rewritten."""
