"""What the model is asked: template files, each with the dataclass of its variables."""
