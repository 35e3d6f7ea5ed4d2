"""Alembic's entry: it runs on the connection that `schema.upgrade` hands over, inside its transaction."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], render_as_batch=True)
context.run_migrations()
