"""Templates and the style sheet of the evaluation pages."""
