"""What all pages share: assets, cookies, CSRF tokens, error pages, locale, visitors and their limits."""
