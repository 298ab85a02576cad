"""The twelve figures of the rules, drawn, and what each shows."""
