"""Writes local-times.tsv: local times near changes of the clock, as Python's zoneinfo reads them.

A line has a zone, a local time, the milliseconds since 1970 that it means with fold=0, and the offset
of the zone at that moment in whole minutes, cut towards zero.
"""

from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)

# A zone, and the years whose changes are taken.
ZONES = {
    "Europe/Berlin": (1980, 2021, 2050),
    "Europe/London": (1944, 1968, 1971, 2022),
    "Europe/Dublin": (2019,),
    "Europe/Moscow": (1991, 2011, 2014),
    "Europe/Istanbul": (2016,),
    "America/New_York": (1883, 1942, 1945, 1974, 2021, 2060),
    "America/St_Johns": (1988, 2011),
    "America/Caracas": (2007, 2016),
    "America/Sao_Paulo": (2018,),
    "America/Scoresbysund": (2022,),
    "Africa/Casablanca": (2023,),
    "Africa/Cairo": (2010, 2014),
    "Africa/Monrovia": (1972,),
    "Asia/Kathmandu": (1986,),
    "Asia/Kolkata": (2000,),
    "Asia/Tehran": (2021,),
    "Asia/Pyongyang": (2015, 2018),
    "Asia/Gaza": (2015,),
    "Australia/Lord_Howe": (2021,),
    "Australia/Sydney": (2021,),
    "Antarctica/Troll": (2021,),
    "Pacific/Apia": (2011,),
    "Pacific/Fakaofo": (2011,),
    "Pacific/Kwajalein": (1993,),
    "Pacific/Kiritimati": (1994, 1995),
    "Pacific/Chatham": (2021,),
}


def seconds(zone, moment):
    return datetime.fromtimestamp(moment, timezone.utc).astimezone(zone).utcoffset().total_seconds()


def changes(zone, year):
    """The first moments of each new offset in a year, in seconds since 1970."""
    moment = int((datetime(year, 1, 1, tzinfo=timezone.utc) - EPOCH).total_seconds())
    end = moment + 366 * 86400
    while moment < end:
        before = seconds(zone, moment)
        if seconds(zone, moment + 3600) != before:
            low, high = moment, moment + 3600
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if seconds(zone, middle) == before else (low, middle)
            yield high, before, seconds(zone, high)
        moment += 3600


def line(name, zone, local):
    moment = local.replace(tzinfo=zone, fold=0).astimezone(timezone.utc)
    milliseconds = (moment - EPOCH) // timedelta(milliseconds=1)
    offset = int(moment.astimezone(zone).utcoffset().total_seconds() / 60)
    return f"{name}\t{local.isoformat()}\t{milliseconds}\t{offset}"


def lines():
    for name, years in ZONES.items():
        zone = ZoneInfo(name)
        for year in years:
            yield line(name, zone, datetime(year, 7, 2, 12, 34, 56))
            for moment, before, after in changes(zone, year):
                first, last = sorted((before, after))
                start = EPOCH.replace(tzinfo=None) + timedelta(seconds=moment + first)
                end = EPOCH.replace(tzinfo=None) + timedelta(seconds=moment + last)
                half = ((end - start) / 2).total_seconds() // 1
                for local in (
                    start - timedelta(seconds=1), start, start + timedelta(seconds=half),
                    end - timedelta(seconds=1), end, end + timedelta(hours=20),
                ):
                    yield line(name, zone, local)


if __name__ == "__main__":
    print("\n".join(lines()))
