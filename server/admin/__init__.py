"""The operator's tools: search, interventions, backup and restore, setup check, export of games."""
