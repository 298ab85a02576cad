"""The JSON API of a game, and its OpenAPI document, made from the same schemas."""
