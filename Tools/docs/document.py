"""One page of Markdown as HTML.

markdown-it parses CommonMark and tables like GitHub, so a page looks the same in both places. The site changes the
tokens between parsing and rendering: anchors of headings, targets of links, syntax highlighting, diagrams.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.token import Token
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_by_name
from pygments.util import ClassNotFound

from diagrams import state_diagram

# Maps a link and its line to the target in the site.
Rewrite = Callable[[str, int], str]

LEXERS = {"sh": "bash", "console": "console", "js": "javascript", "": "text"}


class Document:
    """A parsed page."""

    def __init__(self, text: str, rewrite: Rewrite, anchors: bool = True):
        self._markdown = MarkdownIt("commonmark").enable(["table", "strikethrough"])
        self._rewrite = rewrite
        self._anchors = anchors
        self._taken: dict[str, int] = {}
        self.title = ""
        # Level, anchor and text of every heading except the title.
        self.headings: list[tuple[int, str, str]] = []
        self._environment: dict = {}
        self._tokens = self._transform(self._markdown.parse(text, self._environment))

    def html(self) -> str:
        """The page's body."""
        return self._markdown.renderer.render(
            self._tokens, self._markdown.options, self._environment
        )

    def _transform(self, tokens: list[Token]) -> list[Token]:
        result: list[Token] = []
        for place, token in enumerate(tokens):
            if token.type == "heading_open":
                self._name(token, tokens[place + 1])
            elif token.type == "inline":
                self._redirect(token)
            elif token.type == "fence":
                token = _html(code_block(token.content, token.info))
            elif token.type == "table_open":
                result.append(_html('<div class="table">\n'))
                if _has_empty_head(tokens, place):
                    token.attrSet("class", "bare")
            result.append(token)
            if token.type == "table_close":
                result.append(_html("</div>\n"))
        return result

    def _name(self, heading: Token, inline: Token) -> None:
        text = plain_text(inline)
        level = int(heading.tag[1])
        if level == 1 and not self.title:
            self.title = text
            return
        anchor = self._unique(slug(text))
        heading.attrSet("id", anchor)
        self.headings.append((level, anchor, text))
        if self._anchors and inline.children is not None:
            label = html.escape(f"Link to {text}", quote=True)
            inline.children.append(
                _inline_html(f' <a class="anchor" href="#{anchor}" aria-label="{label}">#</a>')
            )

    def _unique(self, anchor: str) -> str:
        count = self._taken.get(anchor, 0)
        self._taken[anchor] = count + 1
        return f"{anchor}-{count}" if count else anchor

    def _redirect(self, inline: Token) -> None:
        line = (inline.map[0] if inline.map else 0) + 1
        for child in inline.children or []:
            if child.type == "link_open":
                child.attrSet("href", self._rewrite(str(child.attrGet("href") or ""), line))
            elif child.type == "image":
                child.attrSet("src", self._rewrite(str(child.attrGet("src") or ""), line))
                child.attrSet("loading", "lazy")


def slug(text: str) -> str:
    """The anchor that GitHub gives a heading: letters, digits, hyphens and underscores, in lower case."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def plain_text(inline: Token) -> str:
    """The text of a heading or paragraph without its markup."""
    return "".join(
        child.content if child.type in ("text", "code_inline") else " " * (child.type == "softbreak")
        for child in inline.children or []
    )


def code_block(text: str, info: str) -> str:
    """A block of code, highlighted by the first word after its fence."""
    language = info.split(" ")[0] if info else ""
    if language == "mermaid":
        return state_diagram(text)
    try:
        lexer = get_lexer_by_name(LEXERS.get(language, language), stripnl=False)
    except ClassNotFound:
        lexer = TextLexer(stripnl=False)
    coloured = highlight(text, lexer, HtmlFormatter(nowrap=True))
    label = html.escape(language or "text", quote=True)
    # It can be scrolled horizontally, so it must be reachable by keyboard.
    return f'<pre class="code" data-language="{label}" tabindex="0"><code>{coloured}</code></pre>\n'


def _has_empty_head(tokens: list[Token], table: int) -> bool:
    for token in tokens[table:]:
        if token.type == "thead_close":
            return True
        if token.type == "inline" and token.content.strip():
            return False
    return False


def _html(content: str) -> Token:
    return Token("html_block", "", 0, content=content)


def _inline_html(content: str) -> Token:
    return Token("html_inline", "", 0, content=content)
