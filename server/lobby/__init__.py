"""Games beside their turns: opened, joined, proposed, resigned, played again; what their players agree on."""
