"""DocC, called as Tools/scripts/docs calls it, refuses a catalogue with a link that leads nowhere."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "docs"
STRICT = "--warnings-as-errors"


class Catalogues(unittest.TestCase):
    def convert(self, text: str) -> subprocess.CompletedProcess[str]:
        """Runs DocC on a catalogue of one page."""
        swift = shutil.which("swift") or ""
        docc = shutil.which("docc") or str(Path(swift).parent / "docc")
        with tempfile.TemporaryDirectory() as folder:
            catalogue = Path(folder) / "Shop.docc"
            catalogue.mkdir()
            (catalogue / "Shop.md").write_text(text, encoding="utf-8")
            options = [STRICT, "--output-dir", f"{folder}/Shop.doccarchive"]
            return subprocess.run(
                [docc, "convert", str(catalogue), *options], capture_output=True, text=True, timeout=120
            )

    def test_a_link_to_an_article_that_is_not_there_is_an_error(self) -> None:
        page = "# Shop\n\nA page.\n\n@Metadata {\n  @TechnologyRoot\n}\n\n## Overview\n\nSee {link}.\n"
        self.assertEqual(self.convert(page.replace("{link}", "this")).returncode, 0)
        broken = self.convert(page.replace("{link}", "<doc:Missing>"))
        self.assertNotEqual(broken.returncode, 0)
        self.assertIn("'Missing' doesn't exist", broken.stdout + broken.stderr)

    def test_the_script_takes_warnings_for_errors(self) -> None:
        self.assertIn(STRICT, SCRIPT.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
