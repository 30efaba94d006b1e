"""How sites say that a page does not exist: in a title, and in the words after it.

Phrases in the languages that sites are mostly in; a site that says it otherwise is known by its answer to a
probe alone (``softerror``). Knows texts only, no pages.
"""

import re

_SEPARATOR = re.compile(r"\s+[-–—|·•»«/]\s+|\s*[|»·•]\s*")
_WORD = re.compile(r"[^\W_]+(?:'[a-z]+)?")
_AROUND = frozenset(
    {"1", "404", "code", "error", "fehler", "hmm", "http", "oh", "oops", "ooops", "sorry", "uh", "whoops"}
)
"""What may stand before or after the phrase, and says nothing without it, 404 excepted."""

_PAGE = r"(?:page|file|document|content|resource|url|topic|article|site|address|link|webpage)"
_NEGATED = (
    r"(?:(?:could|can|was|is|were|has|does|do) )?(?:been )?not (?:be |been )?(?:found|available|exist)"
    r"|cannot be found|(?:(?:was|is|could|can|does|has)n't|can't) (?:be |been )?(?:found|available|exist)"
    r"|(?:is )?no longer (?:exists?|available|here)|(?:is )?missing"
)
_ENGLISH = re.compile(
    rf"(?:(?:the|this|that|your) )?(?:requested )?(?:{_PAGE} )?"
    rf"(?:(?:that )?(?:you|you're|you've)(?: [a-z]+){{1,4}} )?(?:{_NEGATED})"
    rf"|(?:we )?(?:can't|cannot|couldn't|can not|could not) find (?:the|this|that|your) {_PAGE}"
    rf"(?: (?:that )?(?:you|you're|you've)(?: [a-z]+){{1,4}})?"
)
_SPACED = frozenset(
    {"seite nicht gefunden", "die seite wurde nicht gefunden", "seite existiert nicht", "nicht gefunden"}
    | {"page non trouvée", "page introuvable", "cette page est introuvable", "página no encontrada"}
    | {"la página no existe", "página não encontrada", "a página não existe", "pagina non trovata"}
    | {"pagina niet gevonden", "страница не найдена", "strona nie została znaleziona", "stránka nenalezena"}
    | {"strona nie istnieje", "nie znaleziono strony", "sayfa bulunamadı", "sidan hittades inte"}
    | {"sidan kunde inte hittas", "siden blev ikke fundet", "siden ble ikke funnet", "sivua ei löytynyt"}
    | {"페이지를 찾을 수 없습니다", "trang không tồn tại", "halaman tidak ditemukan", "сторінку не знайдено"}
)
_UNSPACED = re.compile(
    r"(?:很?抱歉|对不起|對不起)?[您你]?(?:要?访问|要?查找|请求|要?找)?的?(?:页面|网页|頁面|網頁)(?:不存在|未找到|没有找到|找不到了?|已删除)"
    r"|(?:未找到|找不到)(?:该|此|相关|該)?(?:页面|网页|頁面|網頁)"
    r"|(?:お探しの)?ページ[がは]?(?:見つかりません(?:でした)?|存在しません)"
)
_NO_SIGN = re.compile(r"[\s,.!?:;…。，！？、：()（）]+")

_REGRET = re.compile(
    r"\b(?:sorry|oops|apologi[sz]e|mistyped|you may have typed"
    r"|(?:go|return|back|take me) (?:back )?(?:to )?(?:the |our )?home"
    r"|try (?:searching|a search|again)|you(?:'re| are| were|'ve| have)? (?:looking for|requested|trying to)"
    r"|(?:has|have|may|might) (?:been|have been|be) (?:moved|removed|deleted|renamed)"
    rf"|(?:this|that|the requested) {_PAGE} (?:does|doesn't|no longer|could|couldn't|was|can't|cannot))\b"
    r"|leider|désolé|lo sentimos|desculpe|spiacenti|helaas|к сожалению|przepraszamy"
    r"|抱歉|对不起|對不起|返回首页|回到首页|[您你](?:要?访问|要?查找|要?找|请求)|申し訳|お探しの|죄송"
)


def says_not_found(title: str) -> bool:
    """Tell whether a title or heading says that a page does not exist and, but for the site's name, no more.

    ``404 Not Found | Example`` does; ``Custom 404 pages`` and ``Handling "not found" errors`` do not.
    """
    parts = _SEPARATOR.split(_spelled(title)[:300])
    return len(parts) <= 3 and any(map(_is_phrase, parts)) and not (len(parts) > 1 and _is_code(parts))


def regrets(text: str) -> bool:
    """Tell whether a text speaks to a reader who went astray, as explanations of errors do not."""
    return _REGRET.search(_spelled(text)) is not None


def _spelled(text: str) -> str:
    return text.casefold().replace("’", "'")


def _is_phrase(part: str) -> bool:
    words = _WORD.findall(part)
    kept = _without_fillers(words)
    if not kept:
        return "404" in words
    core = " ".join(kept)
    return bool(_ENGLISH.fullmatch(core) or core in _SPACED or _UNSPACED.fullmatch(_NO_SIGN.sub("", core)))


def _without_fillers(words: list[str]) -> list[str]:
    start, end = 0, len(words)
    while start < end and words[start] in _AROUND:
        start += 1
    while end > start and words[end - 1] in _AROUND:
        end -= 1
    return words[start:end]


def _is_code(parts: list[str]) -> bool:
    """``Room | 404``: a number beside other words is a name unless one of them says what it means."""
    said = [part for part in parts if _is_phrase(part)]
    return all(part.strip().isdigit() for part in said)
