"""Where values come from, which of them wins, and what is said of those that are wrong."""

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from adaptive_crawl.cli.config import Config, ConfigError, Loaded, Sources, expand, load
from adaptive_crawl.cli.example import as_yaml, example
from adaptive_crawl.cli.keys import keys_of, plain
from adaptive_crawl.cli.layers import MAX_FILE_BYTES, Setting, read_text
from adaptive_crawl.cli.presets import PRESETS, RENAMED, WHOLE_SITE
from adaptive_crawl.crawler.model import Order

ROOT = Path(__file__).parents[1]

KEYS = keys_of(Config)


def flag(name: str, value: object, adds: bool = False) -> Setting:
    """A value as typed after the flag ``--name``."""
    return Setting(tuple(name.split(".")), value, "--" + name.rpartition(".")[2], adds)


def problems_of(sources: Sources) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(sources)
    return [str(problem) for problem in caught.value.problems]


class Files:
    """A home, a project and a named file, in a folder of the test's own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.project = root / "project"
        self.user = root / "config" / "adaptive-crawl"
        for folder in (self.project, self.user):
            folder.mkdir(parents=True)
        self.environ = {"XDG_CONFIG_HOME": str(root / "config")}

    def write(self, where: str, text: str | bytes) -> Path:
        path = {
            "user": self.user / "config.yaml",
            "project": self.project / "adaptive-crawl.yaml",
            "named": self.root / "named.yaml",
        }[where]
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def sources(self, named: Path | None = None, flags: tuple[Setting, ...] = (), **environ: str) -> Sources:
        return Sources({**self.environ, **environ}, self.project, named, flags)

    def load(
        self, named: Path | None = None, flags: tuple[Setting, ...] = (), **environ: str
    ) -> Loaded[Config]:
        return load(self.sources(named, flags, **environ))


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


# Which value wins.


def test_nothing_given_is_all_defaults() -> None:
    loaded = load(Sources())
    assert loaded.config == Config()
    assert set(loaded.origins.values()) == {"default"}


def test_each_source_stands_over_the_one_before(files: Files) -> None:
    steps: list[tuple[int, str]] = []
    steps.append((files.load().config.limits.max_pages or 0, "default"))
    files.write("user", "limits: {max_pages: 1}")
    files.write("project", "limits: {max_pages: 2}")
    named = files.write("named", "limits: {max_pages: 3}")
    environ = {"ADAPTIVE_CRAWL_LIMITS__MAX_PAGES": "4"}
    flags = (flag("limits.max_pages", "5"),)
    for loaded in (
        files.load(),
        files.load(named),
        files.load(named, (), **environ),
        files.load(named, flags, **environ),
    ):
        steps.append((loaded.config.limits.max_pages or 0, loaded.origins["limits.max_pages"]))
    assert steps == [
        (20, "default"),
        (2, "adaptive-crawl.yaml:1"),
        (3, f"{named}:1"),
        (4, "ADAPTIVE_CRAWL_LIMITS__MAX_PAGES"),
        (5, "--max_pages"),
    ]


def test_files_merge_key_by_key(files: Files) -> None:
    files.write("user", "limits:\n  max_pages: 7\n  min_pages: 3\n")
    files.write("project", "limits:\n  max_pages: 8\n")
    limits = files.load().config.limits
    assert (limits.max_pages, limits.min_pages) == (8, 3)


def test_a_named_file_stands_in_for_the_projects(files: Files) -> None:
    files.write("project", "limits: {max_pages: 8, max_rounds: 4}")
    named = files.write("named", "limits: {max_pages: 9}")
    limits = files.load(named).config.limits
    assert (limits.max_pages, limits.max_rounds) == (9, None)


def test_without_a_folder_no_file_is_loaded_by_itself(files: Files) -> None:
    files.write("user", "limits: {max_pages: 7}")
    assert load(Sources(files.environ, None)).config == Config()


def test_a_preset_stands_just_below_the_layer_that_names_it(files: Files) -> None:
    files.write("user", "limits: {max_pages: 7, round_size: 9}")
    files.write("project", "preset: quick\nlimits: {round_size: 4}")
    loaded = files.load()
    assert loaded.config.preset == "quick"
    assert (loaded.config.limits.max_pages, loaded.config.limits.round_size) == (10, 4)
    assert loaded.origins["limits.max_pages"] == "preset quick"


def test_a_preset_by_flag_stands_over_files_but_not_over_environment_or_flags(files: Files) -> None:
    files.write("project", "preset: news\nlimits: {max_pages: 7, min_gain: 0.5}")
    limits = files.load(
        flags=(flag("preset", "thorough"), flag("limits.round_size", "6")),
        ADAPTIVE_CRAWL_LIMITS__MAX_PAGES="33",
    ).config.limits
    assert (limits.max_pages, limits.min_gain, limits.round_size) == (33, 0.02, 6)


@pytest.mark.parametrize(
    ("name", "confidence", "pages", "links", "gain"),
    [
        ("quick", 0.5, 10, 2, 0.1),
        ("balanced", 0.7, 20, 3, 0.05),
        ("thorough", 0.9, 50, 5, 0.02),
        ("tech-docs", 0.85, 30, 3, 0.05),
        ("news", 0.6, 10, 5, 0.15),
        ("shop", 0.7, 20, 2, 0.1),
        ("academic", 0.9, 50, 4, 0.02),
    ],
)
def test_presets_have_their_documented_values(
    name: str, confidence: float, pages: int, links: int, gain: float
) -> None:
    config = load(Sources(flags=[flag("preset", name)])).config
    limits = config.limits
    assert (config.strategy.confidence, limits.max_pages) == (confidence, pages)
    assert (limits.round_size, limits.min_gain) == (links, gain)


@pytest.mark.parametrize(("has_query", "flags"), [(False, []), (True, [flag("strategy.name", "none")])])
def test_a_crawl_that_no_query_ends_has_defaults_of_its_own(has_query: bool, flags: list[Setting]) -> None:
    limits = load(Sources(flags=flags), has_query=has_query).config.limits
    assert (limits.max_pages, limits.max_depth, limits.round_size) == (None, 2, 32)


def test_whatever_is_given_stands_over_the_whole_site_defaults() -> None:
    loaded = load(Sources(flags=[flag("limits.max_pages", "5"), flag("preset", "quick")]), has_query=False)
    limits = loaded.config.limits
    assert (limits.max_pages, limits.max_depth, limits.round_size) == (5, 2, 2)
    assert loaded.origins["limits.max_depth"] == "whole-site crawl"


def test_lists_replace_each_other_unless_a_flag_adds(files: Files) -> None:
    files.write("project", "scope: {allowed_domains: [a.example], exclude: ['*/old/*']}")
    scope = files.load(
        flags=(
            flag("scope.allowed_domains", ["b.example"], adds=True),
            flag("scope.exclude", ["*/x/*"]),
        )
    ).config.scope
    assert scope.allowed_domains == ("a.example", "b.example")
    assert scope.exclude == ("*/x/*",)


def test_headers_of_several_sources_are_sent_together(files: Files) -> None:
    files.write("user", "fetch: {headers: {X-A: user, X-B: user}}")
    headers = files.load(flags=(flag("fetch.headers", {"X-B": "flag"}),)).config.fetch.headers
    assert dict(headers) == {"X-A": "user", "X-B": "flag"}


# How values are written.


def test_environment_values_are_yaml_except_where_text_is_wanted() -> None:
    config = load(
        Sources(
            {
                "ADAPTIVE_CRAWL_SCOPE__EXCLUDE": "['*/a', '*/b']",
                "ADAPTIVE_CRAWL_LIMITS__MAX_PAGES": "none",
                "ADAPTIVE_CRAWL_LIMITS__ORDER": "bfs",
                "ADAPTIVE_CRAWL_POLITENESS__ROBOTS": "off",
                "ADAPTIVE_CRAWL_FETCH__CONTACT": "mail: ops@example.org # all day",
                "ADAPTIVE_CRAWL_LIMITS__MIN_PAGES": "",
                "OTHER": "1",
            }
        )
    ).config
    assert config.scope.exclude == ("*/a", "*/b")
    assert config.limits.max_pages is None
    assert config.limits.order is Order.BFS
    assert config.politeness.robots is False
    assert config.fetch.contact == "mail: ops@example.org # all day"
    assert config.limits.min_pages == Config().limits.min_pages


def test_a_whole_number_is_a_number_but_true_is_neither() -> None:
    assert load(Sources(flags=[flag("fetch.timeout", "5")])).config.fetch.timeout == 5.0
    assert "true is not allowed: a number" in problems_of(Sources(flags=[flag("fetch.timeout", "true")]))[0]
    assert (
        "1 is not allowed: true or false" in problems_of(Sources(flags=[flag("limits.early_stop", "1")]))[0]
    )


@pytest.mark.parametrize("word", ["no", "on", "1:30", "2026-01-01"])
def test_words_that_old_yaml_takes_for_something_else_are_texts(word: str) -> None:
    layer = read_text(f"a: [{word}]", KEYS, "f.yaml")
    assert layer.settings[0].value == [word]


def test_numbers_are_read_as_people_write_them() -> None:
    layer = read_text("a: [1e6, 010, 0x10, -.5, +3, .inf, '7']", KEYS, "f.yaml")
    assert layer.settings[0].value == [1e6, 10, 16, -0.5, 3, math.inf, "7"]


def test_an_empty_file_and_an_empty_section_give_nothing(files: Files) -> None:
    for text in ("", "# nothing\n", "limits:\n"):
        files.write("project", text)
        assert files.load().config == Config()


TEXTS = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]))
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXTS,
)


@given(st.recursive(SCALARS, lambda inner: st.one_of(st.lists(inner), st.dictionaries(TEXTS, inner))))
def test_json_is_read_as_what_it_says(value: object) -> None:
    text = json.dumps({"x": value}, ensure_ascii=False)
    layer = read_text(text, KEYS, "f.yaml")
    assert not layer.problems
    assert layer.settings[0].value == json.loads(json.dumps(value))


@given(st.text())
def test_no_text_makes_reading_fail(text: str) -> None:
    read_text(text, KEYS, "f.yaml")


# What is wrong.


def test_everything_wrong_is_told_at_once_with_place_path_value_and_what_is_allowed(files: Files) -> None:
    files.write(
        "project",
        "limits:\n  max_page: 50\n  max_rounds: many\n  min_gain: 2\nlinks:\n  relevance: 0.9\n",
    )
    told = problems_of(
        files.sources(flags=(flag("limits.max_pages", "-3"),), ADAPTIVE_CRAWL_LIMITS__ORDER="best")
    )
    assert told[:3] == [
        "adaptive-crawl.yaml:2: limits.max_page: no such key (value 50); did you mean limits.max_pages?",
        'adaptive-crawl.yaml:3: limits.max_rounds: "many" is not allowed: a whole number above 0 or null',
        "adaptive-crawl.yaml:4: limits.min_gain: 2 is not allowed: a number of at least 0 and at most 1",
    ]
    assert any("links" in line and "1" in line for line in told[3:])
    assert (
        'ADAPTIVE_CRAWL_LIMITS__ORDER: limits.order: "best" is not allowed: one of best-first, bfs, dfs'
        in told
    )
    assert "--max_pages: limits.max_pages: -3 is not allowed: a whole number above 0 or null" in told
    assert len(told) == 6


@pytest.mark.parametrize("weight", ["links.relevance", "strategy.weights.coverage", "content.weights.tag"])
def test_weights_that_do_not_sum_to_one_are_told(weight: str) -> None:
    told = problems_of(Sources(flags=[flag(weight, "0.95")]))
    assert len(told) == 1
    assert weight.rpartition(".")[0] in told[0]
    assert "must be 1" in told[0] or "must sum to 1" in told[0]


def test_weights_a_thousandth_off_are_taken() -> None:
    load(Sources(flags=[flag("links.relevance", "0.5005")]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max_pages: [1\n  x: }", "adaptive-crawl.yaml:2: not YAML"),
        ("- a\n- list\n", "adaptive-crawl.yaml:1: a list where a mapping of keys is allowed"),
        ("just words", "adaptive-crawl.yaml:1: a single value ('just words')"),
        ("limits: 3", "adaptive-crawl.yaml:1: limits: a single value ('3')"),
        ("limits:\n  max_pages: 1\n  max_pages: 2\n", "3: limits.max_pages: given twice; first in line 2"),
        ("limits: {}\nlimits: {}\n", "adaptive-crawl.yaml:2: limits: given twice"),
        ("scope: {include: [a, 3]}", "scope.include[1]: 3 is not allowed: a list of texts"),
        ("scope: {include: '*'}", 'scope.include: "*" is not allowed: a list of texts'),
        ("a: &x [1]\nb: *x\n", "adaptive-crawl.yaml:2: not YAML: aliases (*) are not supported"),
        ("a: !!python/name:os.system x", "a: the tag tag:yaml.org,2002:python/name:os.system is not"),
        ("limits: {min_gain: .nan}", "limits.min_gain: not a number is not allowed"),
        ("limits: {max_seconds: .inf}", "limits.max_seconds: infinity is not allowed"),
        ("? [a, b]\n: 1\n", "a key must be a word"),
        ("[" * 5000, "nested too deep"),
        (b"\xff\xfe\xfa", "adaptive-crawl.yaml: not UTF-8 text"),
        (b"a: \x00", "adaptive-crawl.yaml: not YAML"),
        (b"#" * (MAX_FILE_BYTES + 1), "larger than"),
    ],
)
def test_a_broken_file_is_told_with_its_line(text: str | bytes, message: str, files: Files) -> None:
    files.write("project", text)
    assert any(message in problem for problem in problems_of(files.sources()))


def test_a_named_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    assert "No such file" in problems_of(Sources(file=tmp_path / "none.yaml"))[0]
    assert "directory" in problems_of(Sources(file=tmp_path))[0]


@pytest.mark.parametrize(
    ("key", "advice"),
    [
        ("top_k_links", "is called limits.round_size here"),
        ("limits.min_gain_threshold", "is called limits.min_gain here"),
        ("confidence_threshold", "is called strategy.confidence here"),
        ("bfs.concurrency", "is called politeness.concurrency here"),
        ("http.delay", "is called politeness.delay (seconds, not milliseconds) here"),
        ("max_pages", "did you mean limits.max_pages?"),
        ("limit.max_pages", "did you mean limits.max_pages?"),
        ("fetch.time_out", "did you mean fetch.timeout?"),
        ("limitz", "did you mean limits?"),
        ("fetch.xyzzy", "fetch has user_agent, "),
        ("xyzzy", "there are preset, limits, "),
    ],
)
def test_an_unknown_key_gets_the_nearest_right_one(key: str, advice: str) -> None:
    assert advice in problems_of(Sources(flags=[flag(key, 1)]))[0]


@pytest.mark.parametrize(
    "variable", ["ADAPTIVE_CRAWL_LIMIT__MAX_PAGES", "ADAPTIVE_CRAWL_LIMITS", "ADAPTIVE_CRAWL_MAX_PAGES"]
)
def test_a_misspelt_variable_is_told(variable: str) -> None:
    assert problems_of(Sources({variable: "3"}))[0].startswith(variable)


def test_secrets_are_not_shown_in_messages() -> None:
    told = problems_of(
        Sources(
            flags=[
                flag("llm.api_key", "sk-123"),
                flag("lmm", {"api_key": "sk-123", "model": "m"}),
                flag("fetch.headers", {"X": 123_456}),
                flag("fetch.via", "http://me:sk-123@host/"),
            ]
        )
    )
    assert "sk-123" not in "".join(told)
    assert "123456" not in "".join(told)


# What a file that merely lies there may not decide.


@pytest.mark.parametrize(
    "text", ["fetch: {headers: {X: y}}", "fetch: {allow_private: true}", "output: {directory: /etc}"]
)
def test_a_projects_file_that_nobody_named_may_not_decide_everything(text: str, files: Files) -> None:
    path = files.write("project", text)
    assert "--config adaptive-crawl.yaml" in problems_of(files.sources())[0]
    assert files.load(path).config != Config()
    files.write("project", "")
    files.write("user", text)
    assert files.load().config != Config()


def test_a_projects_file_may_repeat_a_default_that_it_may_not_change(files: Files) -> None:
    files.write("user", "output: {directory: mine}")
    files.write("project", "output: {directory: output}\nfetch: {headers: {}}")
    assert files.load().config.output.directory == "mine"


def test_header_values_may_stand_for_variables() -> None:
    sources = Sources(
        {"TOKEN": "s3cret"}, flags=[flag("fetch.headers", {"Authorization": "Bearer ${TOKEN}"})]
    )
    headers = load(sources).config.fetch.headers
    assert dict(headers) == {"Authorization": "Bearer ${TOKEN}"}
    assert expand(headers, {"TOKEN": "s3cret"}) == {"Authorization": "Bearer s3cret"}


def test_a_variable_that_is_not_set_is_told() -> None:
    told = problems_of(Sources(flags=[flag("fetch.headers", {"Authorization": "${TOKEN}"})]))
    assert told == ["--headers: fetch.headers.Authorization: the environment variable TOKEN is not set"]


# What a journal keeps.


def recorded(record: dict[str, Any], *flags: Setting, folder: Path | None = None) -> Loaded[Config]:
    return load(Sources({}, folder, flags=flags, recorded=record))


def test_a_resumed_crawl_has_the_configuration_it_began_with() -> None:
    first = load(
        Sources(flags=[flag("limits.max_pages", "5"), flag("limits.order", "bfs"), flag("preset", "news")])
    )
    assert recorded(first.record()).config == first.config


def test_flags_stand_over_what_the_crawl_began_with() -> None:
    record = load(Sources(flags=[flag("limits.max_pages", "5")])).record()
    assert recorded(record, flag("limits.max_pages", "9")).config.limits.max_pages == 9
    assert recorded(record, flag("preset", "thorough")).config.limits.max_pages == 50


def test_a_changed_projects_file_does_not_change_a_crawl_silently(files: Files) -> None:
    record = load(Sources(flags=[flag("limits.max_pages", "5")])).record()
    files.write("project", "limits: {max_pages: 9}")
    loaded = recorded(record, folder=files.project)
    assert loaded.config.limits.max_pages == 5
    assert loaded.warnings == (
        "adaptive-crawl.yaml:1: limits.max_pages 9 is passed over: the crawl resumed has 5; "
        "a flag or --config changes it",
    )


def test_defaults_and_secrets_are_not_recorded() -> None:
    loaded = load(
        Sources(
            {"T": "x"},
            flags=[
                flag("limits.max_pages", "5"),
                flag("fetch.headers", {"A": "${T}"}),
                flag("fetch.allow_private", True),
            ],
        ),
        has_query=False,
    )
    assert loaded.record() == {"limits.max_pages": 5}
    assert loaded.to_repeat() == ("fetch.headers", "fetch.allow_private")


def test_a_record_of_another_version_or_a_stranger_is_taken_with_care() -> None:
    record = {"no.such": 1, "fetch.allow_private": True, "output.directory": "/", "limits.max_pages": 4}
    config = recorded(record).config
    assert config == dataclasses.replace(Config(), limits=dataclasses.replace(Config().limits, max_pages=4))


# The example.


def test_the_example_file_is_what_the_program_makes() -> None:
    told = "run: python -m adaptive_crawl.cli.example > config.example.yaml"
    assert (ROOT / "config.example.yaml").read_text("utf-8") == example(), told


def test_the_example_holds_every_key_with_its_default_and_a_reason() -> None:
    layer = read_text(example(), KEYS, "config.example.yaml")
    assert {setting.path: setting.value for setting in layer.settings} == {
        path: plain(key.default) for path, key in KEYS.items()
    }
    assert yaml.safe_load(example())["limits"]["max_pages"] == Config().limits.max_pages


def test_the_example_can_be_used_as_it_is(files: Files) -> None:
    files.write("project", example())
    assert files.load().config == Config()


def test_a_configuration_shown_can_be_loaded_again(files: Files) -> None:
    loaded = files.load(flags=(flag("limits.order", "dfs"), flag("scope.exclude", ["*/a: b/*"])))
    path = files.write("named", as_yaml(loaded.config))
    assert files.load(path).config == loaded.config


def test_the_origin_of_each_value_can_be_shown(files: Files) -> None:
    files.write("user", "limits:\n  max_pages: 7\n")
    loaded = files.load()
    assert f"  max_pages: 7  # {files.user / 'config.yaml'}:2\n" in as_yaml(loaded.config, loaded.origins)


def test_presets_and_whole_site_defaults_name_keys_that_exist() -> None:
    for values in (*PRESETS.values(), WHOLE_SITE):
        assert set(values) <= set(KEYS)


def test_documented_names_of_sections_that_exist_lead_to_keys_that_exist() -> None:
    names = {key.name for key in KEYS.values()}
    sections = {field.name for field in dataclasses.fields(Config)}
    ours = {target.partition(" ")[0] for target in RENAMED.values()}
    later = {f"strategy.{name}" for name in ("coverage", "k_exp", "coverage_radius", "overlap_threshold")}
    assert {name for name in ours if name.partition(".")[0] in sections} - names <= later


def test_two_mistakes_on_one_line_are_both_told(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("links: {relevence: 0.6, noveltie: 0.4}\n")
    with pytest.raises(ConfigError) as told:
        load(Sources(file=file))
    assert [problem.path for problem in told.value.problems] == ["links.relevence", "links.noveltie"]
