"""Several sensitive attributes with personal flags (QI-MHSA)."""
