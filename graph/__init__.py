"""How the steps connect: state, routing, policies, the versions."""
