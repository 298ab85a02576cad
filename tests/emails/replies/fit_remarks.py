"""Fit the weights of remarks, by `python -m tests.emails.replies.fit_remarks [LANGUAGE...]`.

`asides/LANGUAGE.txt` has one aside beside orders a line: "+ " before a remark that leaves the orders as they
are, "- " before a doubt. A logistic regression gives each feature of an aside its weight; the result is
written to `remark_weights.txt` in the folder of the language. The figures of a cross-validation are printed.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from random import Random

from emails.languages.supported_languages import FOLDERS
from emails.replies import remarks
from emails.replies.remarks import (
    MOST_DOUBT,
    MOST_DOUBT_OF_FEW,
    RemarkContext,
    RemarkWords,
    list_features,
    split_sentences,
    weigh,
)

Features = dict[str, float]
Example = tuple[Features, bool]
"""The features of an aside, and whether it is a doubt."""

ASIDES = Path(__file__).parent / "asides"
PEOPLE = frozenset({"anna", "ben", "cleo", "dirk"})
FEWEST_ASIDES = 2  # with a feature that is weighed
ROUNDS, RATE, PENALTY = 20, 0.2, 2e-5
SMALLEST_WEIGHT = 0.02
PARTS = 5  # of the cross-validation


def main(languages: Sequence[str]) -> None:
    for language in languages:
        own = next(one for one, code in zip(remarks.remark_words(), FOLDERS, strict=True) if code == language)
        examples = read_examples(ASIDES / f"{language}.txt", own)
        weights = fit(examples)
        lines = [f"{weight:.2f} {feature}" for feature, weight in sorted(weights.items())]
        (FOLDERS[language] / "remark_weights.txt").write_text("\n".join(lines) + "\n", "utf-8")
        figures = cross_validate(examples)
        print(f"{language}: {len(examples)} asides, {len(weights)} weights; {figures}")  # noqa: T201


def read_examples(file: Path, own: RemarkWords) -> list[Example]:
    context = RemarkContext(PEOPLE)
    lines = [line.split(" ", 1) for line in file.read_text("utf-8").splitlines()]
    read = [(split_sentences(text), mark == "-") for mark, text in lines]
    return [(list_features(sentences, context, own), doubt) for sentences, doubt in read if sentences]


def fit(examples: Sequence[Example]) -> Features:
    """Fit weights by gradient descent with a rate of its own for each feature (AdaGrad), always alike."""
    known = Counter(feature for features, _ in examples for feature in features)
    usable = [
        ({one: value for one, value in features.items() if known[one] >= FEWEST_ASIDES}, float(doubt))
        for features, doubt in examples
    ]
    weights: Features = dict.fromkeys(known, 0.0)
    steps: Features = dict.fromkeys(known, 1e-6)
    random = Random(0)
    for _ in range(ROUNDS):
        random.shuffle(usable)
        for features, wanted in usable:
            error = weigh(features, weights) - wanted
            for one, value in features.items():
                slope = error * value + PENALTY * len(usable) / known[one] * weights[one]
                steps[one] += slope * slope
                weights[one] -= RATE * slope / sqrt(steps[one])
    return {one: round(weight, 2) for one, weight in weights.items() if abs(weight) >= SMALLEST_WEIGHT}


def cross_validate(examples: Sequence[Example]) -> str:
    """Weigh each part of the examples by weights that were fitted to the others."""
    doubts: list[float] = []
    plain: list[float] = []
    for part in range(PARTS):
        weights = fit([one for at, one in enumerate(examples) if at % PARTS != part])
        for features, doubt in examples[part::PARTS]:
            (doubts if doubt else plain).append(weigh(features, weights))
    limits = (0.05, MOST_DOUBT_OF_FEW, MOST_DOUBT, 0.3)
    shares = [(limit, share_below(limit, plain), share_below(limit, doubts)) for limit in limits]
    return "; ".join(
        f"below {limit} {remark:.1%} of remarks, {doubt:.1%} of doubts" for limit, remark, doubt in shares
    )


def share_below(limit: float, values: Sequence[float]) -> float:
    return sum(value < limit for value in values) / len(values)


if __name__ == "__main__":
    main(sys.argv[1:] or list(FOLDERS))
