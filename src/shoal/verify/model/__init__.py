"""Does each requirement hold, by its definition?"""
