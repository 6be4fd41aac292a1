"""Sizing router buffers: how much a link with n long flows needs (Appenzeller, Keslassy and McKeown 2004)."""
