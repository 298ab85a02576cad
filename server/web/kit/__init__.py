"""Parts of all pages: assets, cookies, CSRF tokens, error pages, locale, visitors and their limits."""
