"""What things are: models, lifecycles, ports, errors. Nothing here does I/O."""
