"""Markdown as pages of the service."""

from service.api.pages.guides import Guide, guide

TEXT = """# Play a *first* game

Ten minutes. Then more.

## Get `options`

See [the rules](../domain/README.md#add-an-edition), [the same](../domain), [proof](verification.md),
[the contract](openapi.json), [above](#get-options), [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457),
[a file](../service/app.py) and [the lobby](http://127.0.0.1:8000/?ruleset=x).

![A board](../deploy/room.webp) ![Far](https://example.org/far.png)

<script>alert(1)</script>

| a | b |
|---|---|
| 1 | `2` |

```json
{"a": "<b>"}
```

## Get options
"""


def client() -> Guide:
    return guide("client", TEXT)


def test_links_lead_to_pages() -> None:
    content = client().content
    assert '<a href="/docs/guides/rulesets#add-an-edition">the rules</a>' in content
    assert '<a href="/docs/guides/rulesets">the same</a>' in content
    assert '<a href="/docs/guides/verification">proof</a>' in content
    assert '<a href="/openapi.json">the contract</a>' in content
    assert '<a href="#get-options">above</a>' in content
    assert '<a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457</a>' in content
    assert '<a href="/?ruleset=x">the lobby</a>' in content


def test_a_file_that_is_no_page_is_named_and_not_linked() -> None:
    assert "<span>a file</span>" in client().content


def test_pictures_of_the_repository_are_served_here() -> None:
    assert '<img src="/docs/pictures/deploy/room.webp" alt="A board"' in client().content
    assert client().pictures == {"deploy/room.webp"}


def test_raw_html_is_shown_and_not_run() -> None:
    assert "<script>" not in client().content
    assert "&lt;script&gt;" in client().content


def test_headings_have_the_ids_that_github_gives_them() -> None:
    assert [(each.level, each.title, each.slug) for each in client().headings] == [
        (1, "Play a first game", "play-a-first-game"),
        (2, "Get options", "get-options"),
        (2, "Get options", "get-options-1"),
    ]
    assert '<h2 id="get-options-1">Get options</h2>' in client().content


def test_a_guide_is_listed_by_its_first_heading_and_sentence() -> None:
    assert (client().title, client().summary) == ("Play a first game", "Ten minutes.")


def test_tables_and_code_can_be_scrolled_by_keyboard() -> None:
    assert '<div class="wide" tabindex="0"><table>' in client().content
    assert '<pre tabindex="0"><code>{"a": "&lt;b&gt;"}\n</code></pre>' in client().content
