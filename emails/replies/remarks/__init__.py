"""What people say around their orders: a yes, words for the others, courtesies, small talk, and doubt."""
