"""Visitors notice what they are there to notice."""

import asyncio

import pytest
from playwright.async_api import Page

from tests.browser.visiting import Visit, Visitor, expect

WRONG = {
    "faint text": '<p data-style="color:#aaa;background:#fff">Hardly to be read</p>',
    "a picture without words": '<img src="/favicon.ico">',
    "a button without a name": "<button></button>",
    "a field without a label": "<input>",
}


@pytest.mark.parametrize("what", WRONG)
async def test_axe_finds(visitor: Visitor, what: str):
    await visitor.page.goto("/problems")
    await visitor.axe()
    # By script, for the page's policy lets no style stand in its text.
    await visitor.page.evaluate(
        """html => {
            document.querySelector('main').insertAdjacentHTML('beforeend', html);
            for (const each of document.querySelectorAll('[data-style]')) each.style.cssText = each.dataset.style;
        }""",
        WRONG[what],
    )
    with pytest.raises(AssertionError, match=r"serious|critical"):
        await visitor.axe()


async def test_what_is_expected_may_come_later_and_what_never_comes_is_said(page: Page):
    await page.goto("/problems")
    late = "document.body.append(Object.assign(document.createElement('b'), {className: 'late', textContent: 'come'}))"
    await page.evaluate(f"() => void setTimeout(() => {{ {late} }}, 300)")
    await expect(page.locator("b.late")).to_have_text("come")
    await expect(page.locator("b.never")).not_to_be_visible()
    await expect(page.locator("b.never")).to_be_hidden()
    await expect(page.locator("b.never")).to_have_count(0)
    with pytest.raises(AssertionError, match="Actual value: come"):
        await expect(page.locator("b.late")).to_have_text("gone", timeout=100)
    with pytest.raises(AssertionError, match="expected to be visible"):
        await expect(page.locator("b.never")).to_be_visible(timeout=100)


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("fetch('http://192.0.2.1/').catch(() => 0)", "Content Security"),
        ("new Image().src = 'http://example.invalid/'", "asked another host"),
        ("fetch('/v1/nothing')", "404"),
        ("console.error('oh')", "oh"),
        (
            "document.head.append(Object.assign(document.createElement('script'), {text: 'window.mine = 1'}))",
            "Content Security",
        ),
    ],
)
async def test_a_complaint(visit: Visit, script: str, complaint: str):
    async def look() -> None:
        async with visit() as visitor:
            await visitor.page.goto("/problems")
            await visitor.page.evaluate(f"() => {{ {script} }}")
            async with asyncio.timeout(20):
                while True:  # until it is heard
                    visitor.check()
                    await asyncio.sleep(0.05)

    with pytest.raises(AssertionError, match=complaint):
        await look()


@pytest.mark.parametrize(
    "script", ["setTimeout(() => { throw new Error('broken') })", "void Promise.reject(new Error('broken'))"]
)
async def test_what_no_script_caught_fails_a_test_whatever_it_expects(visit: Visit, script: str):
    async def look() -> None:
        async with visit() as visitor:
            visitor.expect("")
            await visitor.page.goto("/problems")
            await visitor.page.evaluate(f"() => {{ {script} }}")

    with pytest.raises(AssertionError, match="broken"):
        await look()


async def test_what_is_provoked_is_no_complaint(visitor: Visitor):
    visitor.expect("404")
    await visitor.page.goto("/problems")
    await visitor.page.evaluate("() => fetch('/v1/nothing').then(answer => answer.text())")
    assert "unknown-path" in (await visitor.bodies())[f"{visitor.address}/v1/nothing"]
