// Tells the server once by which clock this browser goes; times on this page are set to it at once.
"use strict";
{
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const cookie = `alexandros-zone=${here}`;
  if (here && !document.cookie.split("; ").includes(cookie)) {
    const safe = location.protocol === "https:" ? "; secure" : "";
    document.cookie = `${cookie}; path=/; max-age=31536000; samesite=lax${safe}`;
    const clock = new Intl.DateTimeFormat(document.documentElement.lang, {
      weekday: "long", day: "numeric", month: "long",
      hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short",
    });
    for (const time of document.querySelectorAll("time[datetime]")) {
      const told = Object.fromEntries(clock.formatToParts(new Date(time.dateTime)).map((one) => [one.type, one.value]));
      if (time.textContent.endsWith(" UTC") && told.timeZoneName !== "UTC") {
        time.textContent = `${told.weekday} ${told.day} ${told.month}, ${told.hour}:${told.minute} ${told.timeZoneName}`;
      }
    }
  }
}
