"""What every page needs: assets, cookies, CSRF tokens, errors, locale, rate limits, who visits.

In reading order, each importing only those before it:

    hosts forwarded fonts assets cookies csrf request_context zones locale rate_limit visitors
    even_answers security_headers banned errors
    health_pages
"""
