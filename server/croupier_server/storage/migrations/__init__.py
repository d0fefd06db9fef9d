"""Revisions of the schema: one file each in ``versions``, never changed once released."""
