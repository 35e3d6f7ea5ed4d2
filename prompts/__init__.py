"""What the model is asked: one template file and one dataclass of variables per question."""
