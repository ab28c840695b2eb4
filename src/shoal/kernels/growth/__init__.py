"""Classes that grow by what is nearest until they hold."""
