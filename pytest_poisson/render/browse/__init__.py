"""Pages of a store in a browser."""
