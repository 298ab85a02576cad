"""All of a language as data, each language in a folder: its words are read and checked here.

In reading order, each importing only those before it:

    toml_tables supported_languages shared_signs remark_grammar order_words plan_vocabulary
    request_phrases dates vote_words topic_words programs lexicon told_lines
"""
