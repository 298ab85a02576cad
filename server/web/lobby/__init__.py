"""Pages of games that have not begun, and pages to read: front, form, joining, organiser, rules, privacy."""
