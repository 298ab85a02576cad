"""The game for programs: JSON in, JSON out, described by a document that is made of the same shapes.

In reading order, each importing only those before it:

    event_shapes review_shapes shapes problems callers game_view advice_view act_request vote_request
    plan_request availability_request operations document api_routes
"""
