"""What every page needs: assets, cookies, CSRF tokens, errors, locale, rate limits, who visits.

In reading order, each importing only those before it:

    hosts forwarded_visitors trailing_signs fonts assets cookies request_context zones locale rate_limit
    visitors answer_timing security_headers visitor_bans errors
    health_pages
"""
