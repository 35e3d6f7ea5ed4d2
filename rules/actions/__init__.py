"""What may be done, by whose leave, once: decisions about actions, all of them pure."""
