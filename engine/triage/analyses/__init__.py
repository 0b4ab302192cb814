"""The analyses, one file each; `engine.triage.registry` lists them."""
