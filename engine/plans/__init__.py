"""Plans: whole turns that a player says before theirs comes, some with a condition."""
