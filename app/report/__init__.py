"""The incident report, rendered: JSON for programs, Markdown, one HTML file, and plain text for a terminal."""
