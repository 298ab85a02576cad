"""What is read of a resolver's answers, and that the next one is asked where one is away."""

import socket
import struct
from ipaddress import ip_address
from threading import Thread

import pytest

from server.admin.dns_lookup import LookupFailed, RecordType, look_up, read_answer

NAME = b"\x07example\x03org\x00"
HERE = b"\xc0\x0c"
"""The name of the question, pointed to."""


def answer(number, *records, flags=0x8180):
    head = struct.pack("!6H", number, flags, 1, len(records), 0, 0) + NAME + struct.pack("!2H", 15, 1)
    return head + b"".join(records)


def record(kind, data, name=HERE):
    return name + struct.pack("!2HIH", kind, 1, 60, len(data)) + data


def mx(preference, host):
    return record(15, struct.pack("!H", preference) + host)


def test_hosts_come_the_best_first_and_other_records_are_passed_over():
    said = answer(7, mx(20, b"\x03two" + HERE), record(5, NAME), mx(10, b"\x03One" + HERE))
    assert read_answer(said, 7, RecordType.MX) == ["one.example.org", "two.example.org"]


def test_a_text_in_pieces_is_one():
    assert read_answer(answer(7, record(16, b"\x06v=spf1\x05 -all")), 7, RecordType.TXT) == ["v=spf1 -all"]


def test_addresses_and_the_names_of_addresses_are_read():
    four, six = record(1, b"\xc0\x00\x02\x07"), record(28, ip_address("2001:db8::7").packed)
    assert read_answer(answer(7, four, six), 7, RecordType.A) == ["192.0.2.7"]
    assert read_answer(answer(7, four, six), 7, RecordType.AAAA) == ["2001:db8::7"]
    alias = record(5, b"\x017" + HERE)
    assert read_answer(answer(7, alias, record(12, b"\x02MX" + HERE)), 7, RecordType.PTR) == [
        "mx.example.org"
    ]
    with pytest.raises(ValueError, match="4"):
        read_answer(answer(7, record(1, b"\xc0\x00\x02")), 7, RecordType.A)


def test_a_name_that_is_not_there_has_no_records():
    assert read_answer(answer(7, flags=0x8183), 7, RecordType.MX) == []


@pytest.mark.parametrize(
    "said",
    [
        answer(8, mx(1, HERE)),
        answer(7, flags=0x8182),
        answer(7, mx(1, struct.pack("!H", 0xC000 | (12 + len(NAME) + 4 + 2 + 10 + 2)))),
        answer(7, mx(1, HERE))[:-1],
        b"",
        b"\0" * 5,
    ],
)
def test_what_is_no_answer_is_refused_and_never_read_for_ever(said):
    with pytest.raises((ValueError, IndexError, struct.error)):
        read_answer(said, 7, RecordType.MX)


def test_a_resolver_is_asked_over_tcp_and_the_next_one_where_it_is_away():
    with socket.socket() as gone:
        gone.bind(("127.0.0.1", 0))
        away = f"127.0.0.1#{gone.getsockname()[1]}"
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            connection, _ = server.accept()
            with connection:
                asked = connection.recv(500)
                assert asked[14:].startswith(NAME)
                said = answer(struct.unpack("!H", asked[2:4])[0], mx(10, b"\x02mx" + HERE))
                connection.sendall(struct.pack("!H", len(said)) + said)

        thread = Thread(target=serve)
        thread.start()
        here = f"127.0.0.1#{server.getsockname()[1]}"
        assert look_up("example.org", RecordType.MX, (away, here)) == ["mx.example.org"]
        thread.join()
    with pytest.raises(LookupFailed):
        look_up("example.org", RecordType.MX, (away,))
    with pytest.raises(LookupFailed):
        look_up("example.org", RecordType.MX, ())
