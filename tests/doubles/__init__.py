"""Stand-ins for the outside world: a server that speaks Ollama's wire protocol, a ledger in memory, sample contracts."""
