"""Named sets of values, and the names under which other documents know our keys."""

from collections.abc import Mapping
from typing import Any

from .keys import KeyPath


def _preset(confidence: float, max_pages: int, round_size: int, min_gain: float) -> dict[KeyPath, Any]:
    return {
        ("strategy", "confidence"): confidence,
        ("limits", "max_pages"): max_pages,
        ("limits", "round_size"): round_size,
        ("limits", "min_gain"): min_gain,
    }


PRESETS: Mapping[str, Mapping[KeyPath, Any]] = {
    "quick": _preset(0.5, 10, 2, 0.1),
    "balanced": _preset(0.7, 20, 3, 0.05),
    "thorough": _preset(0.9, 50, 5, 0.02),
    "tech-docs": _preset(0.85, 30, 3, 0.05),
    "news": _preset(0.6, 10, 5, 0.15),
    "shop": _preset(0.7, 20, 2, 0.1),
    "academic": _preset(0.9, 50, 4, 0.02),
}

WHOLE_SITE: Mapping[KeyPath, Any] = {
    ("limits", "max_pages"): None,
    ("limits", "max_depth"): 2,
    ("limits", "round_size"): 32,
}
"""The defaults of a crawl that no query ends: bounded by depth, and fetched in large rounds."""

RENAMED: Mapping[str, str] = {
    "top_k_links": "limits.round_size",
    "adaptive.max_depth": "limits.max_rounds",
    "max_depth": "limits.max_depth",
    "min_gain_threshold": "limits.min_gain",
    "confidence_threshold": "strategy.confidence",
    "saturation_threshold": "strategy.saturation",
    "consistency_threshold": "strategy.consistency",
    "coverage_threshold": "strategy.coverage",
    "coverage_weight": "strategy.weights.coverage",
    "consistency_weight": "strategy.weights.consistency",
    "saturation_weight": "strategy.weights.saturation",
    "relevance_weight": "links.relevance",
    "novelty_weight": "links.novelty",
    "authority_weight": "links.authority",
    "embedding_k_exp": "strategy.k_exp",
    "embedding_coverage_radius": "strategy.coverage_radius",
    "embedding_overlap_threshold": "strategy.overlap_threshold",
    "query_llm_config": "llm.expand",
    "embedding_llm_config": "embedder",
    "embedding_model": "embedder.model",
    "link_preview_timeout": "preview.timeout",
    "bfs.max_depth": "limits.max_depth",
    "bfs.max_pages": "limits.max_pages",
    "bfs.concurrency": "politeness.concurrency",
    "bfs.allowed_domains": "scope.allowed_domains",
    "bfs.min_relevance_score": "llm.min_relevance_score",
    "bfs.max_links_per_page": "llm.max_links_per_page",
    "http.user_agent": "fetch.user_agent",
    "http.delay": "politeness.delay (seconds, not milliseconds)",
    "http.timeout": "fetch.timeout",
    "http.max_retries": "fetch.retries",
    "prompt.system_prompt": "llm.prompts.system_prompt",
    "prompt.user_prompt_template": "llm.prompts.user_prompt_template",
    "output.base_dir": "output.directory",
}
"""Documented names of adaptive and LLM-led crawlers → ours; a name without a section fits in any."""
