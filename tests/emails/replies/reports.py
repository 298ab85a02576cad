"""Mails in which servers say what became of a letter, each in the form of a program that is in use."""

from collections.abc import Callable

LETTER = """\
From: Alexandros <alexandros@example.org>
To: {to}
Reply-To: {answer}
Subject: [Friday] Alexandros by mail
Message-ID: {id}
List-Id: <aaaaaaaa.play.example.org>
"""
"""The headers of the letter that comes back."""


def postfix(to: str, back: str, id: str, answer: str, action: str = "failed", status: str = "5.1.1") -> str:
    """Postfix calls its own reports auto-replied."""
    return f"""\
Return-Path: <>
Date: Mon,  2 Mar 2026 12:00:05 +0000 (UTC)
From: MAILER-DAEMON@mx.example.org (Mail Delivery System)
Subject: Undelivered Mail Returned to Sender
To: {back}
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
\tboundary="4ABCD.1772452805/mx.example.org"
Message-Id: <20260302120005.4ABCD@mx.example.org>

This is a MIME-encapsulated message.

--4ABCD.1772452805/mx.example.org
Content-Description: Notification
Content-Type: text/plain; charset=us-ascii

This is the mail system at host mx.example.org.

I'm sorry to have to inform you that your message could not
be delivered to one or more recipients. It's attached below.

<{to}>: host mail.example.org[192.0.2.1] said: 550 5.1.1 <{to}>: Recipient
    address rejected: User unknown in local recipient table (in reply to RCPT TO
    command)

--4ABCD.1772452805/mx.example.org
Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.org
X-Postfix-Queue-ID: 4ABCD
X-Postfix-Sender: rfc822; {back}
Arrival-Date: Mon,  2 Mar 2026 12:00:00 +0000 (UTC)

Final-Recipient: rfc822; {to}
Original-Recipient: rfc822;{to}
Action: {action}
Status: {status}
Remote-MTA: dns; mail.example.org
Diagnostic-Code: smtp; 550 5.1.1 <{to}>: Recipient address rejected: User
    unknown in local recipient table

--4ABCD.1772452805/mx.example.org
Content-Description: Undelivered Message Headers
Content-Type: text/rfc822-headers

{LETTER.format(to=to, id=id, answer=answer)}
--4ABCD.1772452805/mx.example.org--
"""


def exim(to: str, back: str, id: str, answer: str) -> str:
    """Exim names the address in a header too."""
    return f"""\
Return-path: <>
X-Failed-Recipients: {to}
Auto-Submitted: auto-replied
From: Mail Delivery System <Mailer-Daemon@exim.example.org>
To: {back}
References: {id}
Content-Type: multipart/report; report-type=delivery-status; boundary=1772452805-eximdsn-999
MIME-Version: 1.0
Subject: Mail delivery failed: returning message to sender
Message-Id: <E1abcd-000000-00@exim.example.org>

--1772452805-eximdsn-999
Content-type: text/plain; charset=us-ascii

This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  {to}
    host mail.example.org [192.0.2.1]
    SMTP error from remote mail server after RCPT TO:<{to}>:
    550 No such user here

--1772452805-eximdsn-999
Content-type: message/delivery-status

Reporting-MTA: dns; exim.example.org

Action: failed
Final-Recipient: rfc822;{to}
Status: 5.0.0
Remote-MTA: dns; mail.example.org
Diagnostic-Code: smtp; 550 No such user here

--1772452805-eximdsn-999
Content-type: message/rfc822

Return-path: <{back}>
Received: from us by exim.example.org with esmtps
{LETTER.format(to=to, id=id, answer=answer)}
Your turn.

--1772452805-eximdsn-999--
"""


def old_exim(to: str, back: str, id: str, answer: str) -> str:
    """Before it wrote reports for machines."""
    return f"""\
X-Failed-Recipients: {to}
From: Mail Delivery System <Mailer-Daemon@exim.example.org>
To: {back}
Subject: Mail delivery failed: returning message to sender
Message-Id: <E1abcd-000000-01@exim.example.org>

This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  {to}
    unrouteable mail domain "example.org"

------ This is a copy of the message, including all the headers. ------

Return-path: <{back}>
{LETTER.format(to=to, id=id, answer=answer)}
Your turn.
"""


def qmail(to: str, back: str, id: str, answer: str) -> str:
    """Written for people alone."""
    return f"""\
From: MAILER-DAEMON@qmail.example.org
To: {back}
Subject: failure notice
Message-ID: <20260302120005.999.qmail@qmail.example.org>

Hi. This is the qmail-send program at qmail.example.org.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<{to}>:
Sorry, no mailbox here by that name. (#5.1.1)

--- Below this line is a copy of the message.

Return-Path: <{back}>
Received: (qmail 999 invoked from network); 2 Mar 2026 12:00:00 -0000
{LETTER.format(to=to, id=id, answer=answer)}
Your turn.
"""


def exchange(to: str, back: str, id: str, answer: str) -> str:
    """Exchange and Office 365: parts in base64, and a letter in its own part."""
    return f"""\
From: postmaster@outlook.example.org
To: {back}
Date: Mon, 2 Mar 2026 12:00:05 +0000
Content-Type: multipart/report; report-type=delivery-status;
\tboundary="8b0a1f6c-9999-4444-8888-abcdefabcdef"
X-MS-Exchange-Message-Is-Ndr:
Content-Language: en-US
Message-ID: <ABCD@outlook.example.org>
In-Reply-To: {id}
References: {id}
Subject: Undeliverable: [Friday] Alexandros by mail
Auto-Submitted: auto-replied
MIME-Version: 1.0

--8b0a1f6c-9999-4444-8888-abcdefabcdef
Content-Type: multipart/alternative; differences=Content-Type;
\tboundary="11111111-9999-4444-8888-abcdefabcdef"

--11111111-9999-4444-8888-abcdefabcdef
Content-Type: text/plain; charset="us-ascii"
Content-Transfer-Encoding: quoted-printable

Your message to {to} couldn't be delivered.
ben wasn't found at example.org.

--11111111-9999-4444-8888-abcdefabcdef
Content-Type: text/html; charset="us-ascii"

<html><body><p>Your message couldn't be delivered.</p></body></html>
--11111111-9999-4444-8888-abcdefabcdef--

--8b0a1f6c-9999-4444-8888-abcdefabcdef
Content-Type: message/delivery-status

Reporting-MTA: dns;AM0PR01MB0001.example.org
Received-From-MTA: dns;mx.example.org
Arrival-Date: Mon, 2 Mar 2026 12:00:00 +0000

Final-Recipient: rfc822;{to}
Action: failed
Status: 5.1.10
Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient {to} not found

--8b0a1f6c-9999-4444-8888-abcdefabcdef
Content-Type: message/rfc822

Received: from mx.example.org by AM0PR01MB0001.example.org
{LETTER.format(to=to, id=id, answer=answer)}
--8b0a1f6c-9999-4444-8888-abcdefabcdef--
"""


def gmail(to: str, back: str, id: str, answer: str) -> str:
    """Gmail: words and a picture in a part of their own."""
    return f"""\
Return-Path: <>
From: Mail Delivery Subsystem <mailer-daemon@googlemail.example.org>
To: {back}
Auto-Submitted: auto-replied
Subject: Delivery Status Notification (Failure)
References: {id}
In-Reply-To: {id}
X-Failed-Recipients: {to}
Message-ID: <65e3.GMR@mx.example.org>
Content-Type: multipart/report; boundary="000000000000abcdef"; report-type=delivery-status

--000000000000abcdef
Content-Type: multipart/related; boundary="000000000000fedcba"

--000000000000fedcba
Content-Type: multipart/alternative; boundary="000000000000aaaaaa"

--000000000000aaaaaa
Content-Type: text/plain; charset="UTF-8"

** Address not found **
Your message wasn't delivered to {to} because the address couldn't be found.

--000000000000aaaaaa--
--000000000000fedcba
Content-Type: image/png; name="icon.png"
Content-Transfer-Encoding: base64

iVBORw0KGgo=
--000000000000fedcba--
--000000000000abcdef
Content-Type: message/delivery-status

Reporting-MTA: dns; googlemail.example.org
Arrival-Date: Mon, 02 Mar 2026 04:00:00 -0800 (PST)
X-Original-Message-ID: {id}

Final-Recipient: rfc822; {to}
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550-5.1.1 The email account that you tried to reach does not exist.
Last-Attempt-Date: Mon, 02 Mar 2026 04:00:05 -0800 (PST)

--000000000000abcdef
Content-Type: message/rfc822

{LETTER.format(to=to, id=id, answer=answer)}
Your turn.

--000000000000abcdef--
"""


def sendmail(to: str, back: str, id: str, answer: str) -> str:
    """Sendmail calls it auto-generated, and says relayed where it handed a mail on."""
    return f"""\
From: Mail Delivery Subsystem <MAILER-DAEMON@sendmail.example.org>
Message-Id: <202603021200.abc999@sendmail.example.org>
To: <{back}>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
\tboundary="abc999.1772452805/sendmail.example.org"
Subject: Returned mail: see transcript for details
Auto-Submitted: auto-generated (failure)

This is a MIME-encapsulated message

--abc999.1772452805/sendmail.example.org

The original message was received at Mon, 2 Mar 2026 12:00:00 GMT

   ----- The following addresses had permanent fatal errors -----
<{to}>
    (reason: 552 5.2.2 Mailbox full)

--abc999.1772452805/sendmail.example.org
Content-Type: message/delivery-status

Reporting-MTA: dns; sendmail.example.org
Received-From-MTA: DNS; mx.example.org
Arrival-Date: Mon, 2 Mar 2026 12:00:00 GMT

Final-Recipient: RFC822; {to}
Action: failed
Status: 5.2.2
Diagnostic-Code: SMTP; 552 5.2.2 Mailbox full
Last-Attempt-Date: Mon, 2 Mar 2026 12:00:05 GMT

--abc999.1772452805/sendmail.example.org
Content-Type: text/rfc822-headers

Return-Path: <{back}>
{LETTER.format(to=to, id=id, answer=answer)}
--abc999.1772452805/sendmail.example.org--
"""


def ses(to: str, back: str, id: str, answer: str) -> str:
    """Amazon SES gives letters ids of its own; ours is in the headers that come back."""
    return f"""\
From: MAILER-DAEMON@eu-west-1.amazonses.example.org
To: {back}
Subject: Delivery Status Notification (Failure)
Message-ID: <0102018e.bounce@eu-west-1.amazonses.example.org>
Content-Type: multipart/report;
\tboundary="----=_Part_999_111.1772452805";
\treport-type=delivery-status
MIME-Version: 1.0

------=_Part_999_111.1772452805
Content-Type: text/plain; charset=us-ascii
Content-Transfer-Encoding: 7bit

An error occurred while trying to deliver the mail to the following recipients:
{to}
------=_Part_999_111.1772452805
Content-Type: message/delivery-status
Content-Transfer-Encoding: 7bit

Reporting-MTA: dns; a4-1.smtp-out.eu-west-1.amazonses.example.org

Action: failed
Final-Recipient: rfc822; {to}
Diagnostic-Code: smtp; 554 4.4.7 Message expired: unable to deliver in 840 minutes.<421 4.4.1>
Status: 4.4.7

------=_Part_999_111.1772452805
Content-Type: message/rfc822

{LETTER.format(to=to, id=id, answer=answer)}
------=_Part_999_111.1772452805--
"""


FORMS: tuple[Callable[[str, str, str, str], str], ...] = (
    postfix,
    exim,
    old_exim,
    qmail,
    exchange,
    gmail,
    sendmail,
    ses,
)
