"""What every page needs: assets, cookies, CSRF tokens, errors, locale, rate limits, who visits."""
