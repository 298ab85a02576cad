"""Pages of games before they begin, and pages to read: front, form, joining, organiser, rules, privacy."""
