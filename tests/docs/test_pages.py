"""What the pages say is what the library does: their code runs, and prints what they show."""

from __future__ import annotations

import pytest

from tests.docs.pages import Page, all_pages, stripped


def executed() -> list[object]:
    return [
        pytest.param(page, id=page.name, marks=pytest.mark.spark if page.needs_spark else ())
        for page in all_pages()
        if page.blocks
    ]


@pytest.mark.parametrize("page", executed())
def test_code_on_a_page_prints_what_the_page_shows(page: Page, request: pytest.FixtureRequest) -> None:
    spark = request.getfixturevalue("spark") if page.needs_spark else None
    for block, printed in page.outputs(spark):
        assert stripped(printed) == stripped(block.expected), f"{page.name}, line {block.line}"
