"""Every kind of letter, made from one sample game, to be looked at."""
