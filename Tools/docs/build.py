#!/usr/bin/env -S /usr/bin/python3 -B
"""Builds the site from the pages of the repository, and checks every link.

    build.py SITE        writes into the folder SITE, which may contain the API reference
"""

from __future__ import annotations

import html
import json
import re
import shutil
import sys
from pathlib import Path

from checkout import Checkout, Page
from document import Document, code_block
from landing import landing
from layout import contents, frame, navigation, neighbours, relative, sections
from links import REFERENCE, Site

ASSETS = Path(__file__).resolve().parent / "assets"
REFERENCE_PAGE = f"{REFERENCE}/documentation/index.html"


class Builder:
    """Writes a site for one checkout."""

    def __init__(self, root: Path, site: Path):
        self.checkout = Checkout(root)
        self.site = site
        self.problems: list[str] = []
        self.pages: list[Page] = []
        self._bodies: dict[str, str] = {}  # by source
        self._wanted: list[str] = []  # targets of links that have no page yet
        self._reference = REFERENCE_PAGE if (site / REFERENCE_PAGE).is_file() else None

    def build(self) -> list[str]:
        """Writes the site; returns the problems, one line each."""
        for source in self.checkout.markdown():
            self._read(source)
        # Linked files may have links of their own.
        while self._wanted:
            self._read(self._wanted.pop())
        self._write_pages()
        self._write_landing()
        self._write_assets()
        return self.problems + [str(link) for link in Site(self.site).broken_links()]

    # Reading

    def _read(self, source: str) -> None:
        if source in self._bodies:
            return
        page = Page(source, self.checkout.target(source))
        self._bodies[source] = ""
        if not self.checkout.is_page(source):
            self._copy(source, page.target)
            return
        self.pages.append(page)
        if source.endswith(".md"):
            text = self.checkout.text(source)
            document = Document(text, lambda link, line: self._rewrite(page, link, line))
            page.title, page.headings = document.title or source, document.headings
            self._bodies[source] = document.html()
        else:
            page.title = source
            self._bodies[source] = self._listing(page)

    def _listing(self, page: Page) -> str:
        """A source with syntax highlighting, or the files of a folder."""
        title = f"<h1><code>{html.escape(page.source)}</code></h1>\n"
        place = self.checkout.root / page.source
        if not place.is_dir():
            language = place.suffix.removeprefix(".")
            return title + code_block(self.checkout.text(page.source), language)
        names = sorted(path.name for path in place.iterdir() if not path.name.startswith("."))
        items = "".join(
            f'<li><a href="{self._rewrite(page, f"{page.source}/{name}", 0, at_root=True)}">'
            f"{html.escape(name)}</a></li>"
            for name in names
        )
        return f"{title}<ul>{items}</ul>\n"

    def _rewrite(self, page: Page, link: str, line: int, at_root: bool = False) -> str:
        """The link in the site; records its target."""
        if re.match(r"[a-z][a-z+.-]*:", link) or link.startswith("#"):
            return link
        path, _, fragment = link.partition("#")
        source = self.checkout.resolve("" if at_root else page.source, path)
        if source is None:
            self.problems.append(f"{page.source}:{line}: {link}: no such file in the repository")
            return link
        self._wanted.append(source)
        target = self.checkout.target(source)
        return relative(page.target, f"{target}#{fragment}" if fragment else target)

    # Writing

    def _copy(self, source: str, target: str) -> None:
        place = self.site / target
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.checkout.root / source, place)

    def _write(self, target: str, text: str) -> None:
        place = self.site / target
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def _write_pages(self) -> None:
        parts = self._parts = sections(self.pages, self._guides())
        for page in self.pages:
            place = f'<p class="source">{html.escape(page.source)}</p>'
            body = (
                f"{contents(page)}<article>{self._bodies[page.source]}</article>\n"
                f"{neighbours(page, parts)}<footer>{place}</footer>"
            )
            nav = navigation(page, page.target, parts)
            title = f"{page.title} · Divan"
            self._write(page.target, frame(page.target, title, body, nav, self._reference))

    def _write_landing(self) -> None:
        def link_to(source: str) -> str:
            if not self.checkout.is_page(source):
                self._read(source)
            return self.checkout.target(source)

        body = landing(self.checkout, link_to, self._reference)
        nav = navigation(None, "index.html", self._parts)
        title = "Divan: an embedded JSON document database in Swift that syncs"
        self._write("index.html", frame("index.html", title, body, nav, self._reference, "landing"))

    def _guides(self) -> list[str]:
        """The guides in the order of their index."""
        index = "Docs/guides/README.md"
        names = re.findall(r"\]\(([\w-]+\.md)\)", self.checkout.text(index))
        return [f"Docs/guides/{name}" for name in dict.fromkeys(names)]

    def _write_assets(self) -> None:
        shutil.copytree(ASSETS, self.site / "assets", dirs_exist_ok=True)
        entries = [
            [page.title, page.target, [[text, anchor] for _, anchor, text in page.headings]]
            for page in self.pages
            if not page.target.startswith("source/") and "/Fixtures/" not in page.target
        ]
        # A closing tag in a title must not end the script.
        data = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
        self._write("assets/titles.js", f"window.divanTitles = {data};\n")


def main() -> int:
    """Builds the site for the repository that contains this program."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    root = Path(__file__).resolve().parents[2]
    site = Path(sys.argv[1])
    builder = Builder(root, site)
    problems = builder.build()
    for problem in problems:
        print(f"docs: {problem}", file=sys.stderr)
    if problems:
        print(f"docs: {len(problems)} broken links", file=sys.stderr)
        return 1
    print(f"docs: {len(builder.pages)} pages, no broken links")
    return 0


if __name__ == "__main__":
    sys.exit(main())
