"""Checks every link of a finished site: pages, anchors, pictures, scripts, style sheets, and the pages of the
API reference."""

from __future__ import annotations

import json
import posixpath
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

REFERENCE = "reference"


@dataclass(frozen=True)
class BrokenLink:
    """A broken link."""

    place: str
    link: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.link}: {self.reason}"


class _Anchors(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[tuple[str, bool]] = []  # the link, and whether the page needs it to be shown
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value is not None:
                self.links.append((value, name == "src" or tag == "link"))


class Site:
    """A folder of HTML pages."""

    def __init__(self, root: Path):
        self.root = root
        self._pages: dict[str, _Anchors] = {}

    def broken_links(self) -> list[BrokenLink]:
        """The broken links of all pages, and assets of other sites."""
        broken = []
        for path in sorted(self.root.rglob("*.html")):
            place = path.relative_to(self.root).as_posix()
            # Pages of the API reference are rendered by a script; their links are in its data.
            if place.startswith(REFERENCE + "/"):
                continue
            for link, is_asset in self._read(place).links:
                reason = self._problem(place, link, is_asset)
                if reason:
                    broken.append(BrokenLink(place, link, reason))
        return broken + self._broken_references()

    def _read(self, place: str) -> _Anchors:
        if place not in self._pages:
            parser = _Anchors()
            parser.feed((self.root / place).read_text(encoding="utf-8"))
            self._pages[place] = parser
        return self._pages[place]

    def _problem(self, place: str, link: str, is_asset: bool) -> str | None:
        parts = urlsplit(link)
        if is_asset and parts.netloc:
            return "resource of another site"
        if parts.scheme in ("http", "https", "mailto", "data"):
            return None
        if parts.scheme or parts.netloc or link.startswith("/"):
            return "not a relative link"
        target = place
        if parts.path:
            target = posixpath.normpath(posixpath.join(posixpath.dirname(place), unquote(parts.path)))
        if target.startswith(".."):
            return "outside the site"
        if (self.root / target).is_dir():
            target = posixpath.join(target, "index.html")
        if not (self.root / target).is_file():
            return "no such page"
        if parts.fragment and target.endswith(".html") and not target.startswith(REFERENCE + "/"):
            if unquote(parts.fragment) not in self._read(target).anchors:
                return f"no such anchor in {target}"
        return None

    def _broken_references(self) -> list[BrokenLink]:
        data = self.root / REFERENCE / "data"
        broken = []
        for path in sorted(data.rglob("*.json")) if data.is_dir() else []:
            page = json.loads(path.read_bytes())
            for reference in (page.get("references") or {}).values():
                url = reference.get("url") or ""
                if not url.startswith("/documentation"):
                    continue
                target = urlsplit(url).path.rstrip("/").lower()
                if not (data / (target.lstrip("/") + ".json")).is_file():
                    place = path.relative_to(self.root).as_posix()
                    broken.append(BrokenLink(place, url, "no such page in the reference"))
        return broken
