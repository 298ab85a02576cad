"""Pages for the operator: the desk (players, mail, games, interventions), and mail over HTTP."""
