"""Who may say what to whom: one gate, judged from tables."""
