"""Checks the links of a folder of Markdown pages that SUMMARY.md lists.

Every relative link must lead to a file of the repository, and every #anchor to a heading. SUMMARY.md must list every
page once. Links to files outside the folder work in a repository, but not in the book: they are printed, and are
errors with --strict.
"""

import re
import sys
from pathlib import Path

LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")


def without_code(text):
    text = re.sub(r"^(`{3,}|~{3,}).*?^\1\s*$", "", text, flags=re.M | re.S)
    return re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", text)


def anchors(text):
    """Returns the anchors of a page, named as mdBook and GitHub name them."""
    text = re.sub(r"^(`{3,}|~{3,}).*?^\1\s*$", "", text, flags=re.M | re.S)
    found = {}
    for heading in re.findall(r"^#{1,6} +(.*?)[ #]*$", text, flags=re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
        name = re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-")
        count = found.get(name, 0)
        found[name] = count + 1
        if count:
            found[f"{name}-{count}"] = 1
    return set(found)


def main():
    book, strict = Path(sys.argv[1]).resolve(), "--strict" in sys.argv
    root, errors, leaving = book.parent, [], []
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(book.rglob("*.md"))}
    links = 0
    for page, text in pages.items():
        for target in LINK.findall(without_code(text)):
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            links += 1
            path, _, anchor = target.partition("#")
            where = f"{page.relative_to(root)}: {target}"
            file = (page.parent / path).resolve() if path else page
            if root not in file.parents or not file.exists():
                errors.append(f"{where}: there is no such file")
            elif book not in file.parents:
                leaving.append(f"{where}: leads out of the book")
            elif anchor and file.suffix == ".md" and anchor not in anchors(pages[file]):
                errors.append(f"{where}: there is no such heading")
    summary = book / "SUMMARY.md"
    listed = [(book / target).resolve() for target in LINK.findall(pages[summary])]
    for page in pages:
        if page != summary and listed.count(page) != 1:
            errors.append(f"{page.relative_to(root)}: SUMMARY.md lists it {listed.count(page)} times")
    print("\n".join(leaving + errors), file=sys.stderr)
    print(f"{len(pages)} pages, {links} links, {len(leaving)} out of the book, {len(errors)} errors")
    return 1 if errors or strict and leaving else 0


sys.exit(main())
