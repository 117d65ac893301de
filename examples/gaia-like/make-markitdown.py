"""Writes markitdown.json: what MarkItDown (pip install 'markitdown[all]') makes of the files, for docs/reference/files.md."""

import importlib.metadata
import json
import pathlib
import re

from markitdown import MarkItDown

HERE = pathlib.Path(__file__).parent
PAGE = HERE.parent.parent / "scripts" / "reference" / "files.ts"
reader = MarkItDown()
texts = {}
for name in sorted(set(re.findall(r"'([\w-]+\.\w+)'", PAGE.read_text()))):
    if not (HERE / "files" / name).exists():
        continue
    try:
        texts[name] = reader.convert(str(HERE / "files" / name)).text_content
    except Exception as problem:
        texts[name] = f"refused: {type(problem).__name__}"
out = {"version": importlib.metadata.version("markitdown"), "texts": texts}
(HERE / "markitdown.json").write_text(json.dumps(out, indent=1, ensure_ascii=False) + "\n")
