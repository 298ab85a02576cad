"""What an operator does: look things up, intervene, back up and restore, check the setup, export games."""
