"""The JSON API of a game, and its OpenAPI document, generated from the same schemas."""
