"""What queries with known keywords say of the mapper: how it does, and what it should learn."""
