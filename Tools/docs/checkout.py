"""Maps files of the repository to pages of the site."""

from __future__ import annotations

import os
import posixpath
from dataclasses import dataclass, field
from pathlib import Path

# Pages of the root, by their name in the site.
ROOT_PAGES = {
    "README.md": "overview.html",
    "CHANGELOG.md": "changelog.html",
    "CONTRIBUTING.md": "contributing.html",
    "SECURITY.md": "reporting.html",
}
# The folders of the repository, by their place in the site.
FOLDERS = {"Docs": "", "Packages": "packages", "Tools": "tools", "Tests": "tests"}
PICTURES = {".png", ".svg", ".jpg", ".gif", ".webp"}
# Longer files are not shown.
LONGEST_SOURCE = 300_000


@dataclass
class Page:
    """A page of the site and its source."""

    source: str  # path in the repository, with slashes
    target: str  # path in the site, with slashes
    title: str = ""
    headings: list[tuple[int, str, str]] = field(default_factory=list)  # level, anchor, text


class Checkout:
    """The files of the repository."""

    def __init__(self, root: Path):
        self.root = root

    def markdown(self) -> list[str]:
        """The paths of all pages, sorted; pages of test data are included only if they are linked."""
        found = [name for name in ROOT_PAGES if (self.root / name).is_file()]
        for folder in FOLDERS:
            for place, folders, names in os.walk(self.root / folder):
                folders[:] = [
                    name
                    for name in folders
                    if not name.startswith(".") and name != "Fixtures" and not name.endswith(".docc")
                ]
                path = Path(place).relative_to(self.root).as_posix()
                found += [f"{path}/{name}" for name in names if name.endswith(".md")]
        return sorted(found)

    def target(self, source: str) -> str:
        """The path in the site of a file, or of a folder, of the repository."""
        if source in ROOT_PAGES:
            return ROOT_PAGES[source]
        folder, _, rest = source.partition("/")
        path = self.root / source
        if path.is_dir():
            return f"source/{source}/index.html"
        if path.suffix != ".md" and path.suffix not in PICTURES:
            return f"source/{source}.html"
        place = posixpath.join(FOLDERS.get(folder, folder), rest)
        if path.suffix in PICTURES:
            return place
        if path.name == "README.md":
            return posixpath.join(posixpath.dirname(place), "index.html")
        return place.removesuffix(".md") + ".html"

    def resolve(self, source: str, link: str) -> str | None:
        """The target of a link on a page, as a path in the repository.

        For a folder with a README, the README. `None` if the target does not exist, or is outside.
        """
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), link))
        if path.startswith("..") or path.startswith("/"):
            return None
        place = self.root / path
        if place.is_dir():
            readme = posixpath.normpath(posixpath.join(path, "README.md"))
            return readme if (self.root / readme).is_file() else path
        return path if place.is_file() else None

    def is_page(self, source: str) -> bool:
        """Whether a file is shown as a page instead of copied."""
        return (self.root / source).suffix not in PICTURES

    def text(self, source: str) -> str:
        """The text of a file, or a note if it is binary or too long."""
        data = (self.root / source).read_bytes()
        if len(data) > LONGEST_SOURCE:
            return f"({len(data)} bytes, see the repository.)\n"
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return f"({len(data)} bytes of binary data.)\n"
