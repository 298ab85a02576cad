"""The operator's desk: players, mail, games, and interventions."""
