"""The hooks that pytest loads at start-up; they only wire."""
