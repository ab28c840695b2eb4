"""Writing a release: the folder, its manifest, the publisher's own side, all or nothing.

Nothing is imported here: `exchange` alone needs next to nothing.
"""
