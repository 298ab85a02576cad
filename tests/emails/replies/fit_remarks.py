"""Fit the weights of remarks and of choices, by `python -m tests.emails.replies.fit_remarks [LANGUAGE...]`.

`asides/LANGUAGE.txt` has one aside beside orders a line: "+ " before a remark that leaves the orders as they
are, "- " before a doubt. A line with braces is a sentence that names a choice, whose name is in the braces:
"+ " if it chooses this for certain. A logistic regression gives each feature of a line its weight;
the results are written to `remark_weights.txt` and `choice_weights.txt` in the folder of the language. The
figures of a cross-validation are printed.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from random import Random

from emails.languages.supported_languages import FOLDERS
from emails.replies import remarks
from emails.replies.remarks import (
    CHOICE,
    MOST_DOUBT,
    MOST_DOUBT_OF_FEW,
    RemarkContext,
    list_features,
    split_sentences,
    weigh,
)

Features = dict[str, float]
Example = tuple[Features, bool]
"""The features of an aside, and whether it is a doubt."""

CHOICES = re.compile(r"\{([^}]+)\}")
BESIDE_NUMBERS = frozenset("the one option choice turn number de het die optie keuze nummer".split())
ASIDES = Path(__file__).parent / "asides"
PEOPLE = frozenset({"anna", "ben", "cleo", "dirk"})
FEWEST_ASIDES = 2  # with a feature that is weighed
ROUNDS, RATE = 20, 0.2
REMARKS, CHOSEN = "remark_weights.txt", "choice_weights.txt"
PENALTIES = {REMARKS: 2e-5, CHOSEN: 1e-4}
SMALLEST_WEIGHT = 0.02
PARTS = 5  # of the cross-validation


def main(languages: Sequence[str]) -> None:
    for language in languages:
        for name, examples in read_examples(language).items():
            weights = fit(examples, PENALTIES[name])
            lines = [f"{weight:.2f} {feature}" for feature, weight in sorted(weights.items())]
            (FOLDERS[language] / name).write_text("\n".join(lines) + "\n", "utf-8")
            figures = cross_validate(examples, PENALTIES[name])
            print(f"{language}/{name}: {len(examples)} lines, {len(weights)} weights; {figures}")  # noqa: T201


def read_examples(language: str) -> dict[str, list[Example]]:
    """Read the lines of a language, by the file of the weights that are fitted to them."""
    own = next(one for one, code in zip(remarks.remark_words(), FOLDERS, strict=True) if code == language)
    context = RemarkContext(PEOPLE)
    found: dict[str, list[Example]] = {name: [] for name in PENALTIES}
    for line in (ASIDES / f"{language}.txt").read_text("utf-8").splitlines():
        mark, text = line.split(" ", 1)
        masked = CHOICES.sub(mask_choice, text)
        if sentences := split_sentences(masked):
            name = REMARKS if masked == text else CHOSEN
            found[name].append((list_features(sentences, context, own), mark == "-"))
    return found


def mask_choice(named: re.Match[str]) -> str:
    """Replace the letter or the number in the name of a choice, such as "option b" or "the first one"."""
    words = named[1].split(" ")
    letters = [word for word in words if len(word) == 1 or word.isdigit()]
    others = [word for word in words if word.casefold() not in BESIDE_NUMBERS]
    chosen = (letters or others or words)[-1]
    return " ".join(CHOICE if word == chosen else word for word in words)


def fit(examples: Sequence[Example], penalty: float) -> Features:
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
                slope = error * value + penalty * len(usable) / known[one] * weights[one]
                steps[one] += slope * slope
                weights[one] -= RATE * slope / sqrt(steps[one])
    return {one: round(weight, 2) for one, weight in weights.items() if abs(weight) >= SMALLEST_WEIGHT}


def cross_validate(examples: Sequence[Example], penalty: float) -> str:
    """Weigh each part of the examples by weights that were fitted to the others."""
    doubts: list[float] = []
    plain: list[float] = []
    for part in range(PARTS):
        weights = fit([one for at, one in enumerate(examples) if at % PARTS != part], penalty)
        for features, doubt in examples[part::PARTS]:
            (doubts if doubt else plain).append(weigh(features, weights))
    limits = (0.05, MOST_DOUBT_OF_FEW, MOST_DOUBT, 0.3)
    shares = [(limit, share_below(limit, plain), share_below(limit, doubts)) for limit in limits]
    return "; ".join(
        f"below {limit} {remark:.1%} plain, {doubt:.1%} doubtful" for limit, remark, doubt in shares
    )


def share_below(limit: float, values: Sequence[float]) -> float:
    return sum(value < limit for value in values) / len(values)


if __name__ == "__main__":
    main(sys.argv[1:] or list(FOLDERS))
