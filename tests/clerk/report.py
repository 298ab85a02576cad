"""Prints how a half of the corpus is answered: `python -m tests.clerk.report seen`, or `unseen`."""

import sys
from collections import Counter

from tests.clerk.corpus import Verdict, mails, seen, unseen
from tests.clerk.judging import Outcome, judge

HALVES = {"seen": seen, "unseen": unseen}


def tell(half: str) -> str:
    """What became of the replies of a half, and of those that ordered something, as lines."""
    found = [(mail.verdict, judge(mail)) for mail in HALVES[half](mails("replies"))]
    counts = Counter(outcome for _, outcome in found)
    ordered = [outcome for verdict, outcome in found if verdict in (Verdict.PLAY, Verdict.PROPOSE)]
    right = sum(outcome in (Outcome.PLAYED, Outcome.PROPOSED) for outcome in ordered)
    lines = [f"{len(found)} replies, {half} half"]
    lines += [f"{counts[one]:5} {counts[one] / len(found):6.1%}  {one}" for one in Outcome]
    lines.append(f"{right:5} {right / len(ordered):6.1%}  of {len(ordered)} with orders were read right")
    return "\n".join(lines)


if __name__ == "__main__":
    print(tell(sys.argv[1] if sys.argv[1:] else "seen"))  # noqa: T201
