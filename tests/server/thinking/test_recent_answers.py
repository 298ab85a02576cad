"""What was worked out lately: kept, and worked out once for all who ask at the same moment."""

from threading import Event, Thread

from server.thinking.thinker import RecentAnswers


def test_of_several_who_ask_at_once_one_works_the_answer_out():
    answers, worked_out, begun = RecentAnswers[str](), [], Event()

    def ask(name: str) -> None:
        begun.set()
        with answers.one_at_a_time("what"):
            if answers.get("what") is None:
                worked_out.append(name)
                answers.put("what", "this")

    other = Thread(target=ask, args=("second",))
    with answers.one_at_a_time("what"):
        other.start()
        assert begun.wait(10)
        with answers.one_at_a_time("something else"):
            assert worked_out == []
        answers.put("what", "that")
    other.join(10)
    assert worked_out == []
    assert answers.get("what") == "that"


def test_whoever_waited_works_it_out_where_the_first_could_not():
    answers = RecentAnswers[str]()
    try:
        with answers.one_at_a_time("what"):
            raise ValueError
    except ValueError:
        pass
    with answers.one_at_a_time("what"):
        assert answers.get("what") is None
    assert not answers._waiting
