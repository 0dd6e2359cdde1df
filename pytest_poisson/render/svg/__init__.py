"""Drawings as SVG, written by hand: readable in print, without colour, and by a screen reader."""
