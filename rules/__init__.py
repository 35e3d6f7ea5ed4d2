"""What may happen: pure decisions over contracts."""
