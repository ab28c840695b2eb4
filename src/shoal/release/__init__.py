"""A release: what is published, what stays with the publisher, and advice on it."""
