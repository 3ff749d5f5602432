"""The description of `/v1`, after https://spec.openapis.org/oas/v3.1.0."""

from __future__ import annotations

from typing import Any

_TEXT = {"type": "string"}
_ERROR = {"type": "object", "properties": {"error": _TEXT}, "required": ["error"]}
_TURN = {
    "type": "object",
    "required": ["role", "text"],
    "properties": {"role": {"enum": ["user", "assistant"]}, "text": _TEXT},
}
_CITATION = {
    "type": "object",
    "properties": {
        "n": {"type": "integer"},
        "article_id": _TEXT,
        "title": _TEXT,
        "uri": _TEXT,
        "quote": _TEXT,
        "page": {"type": ["integer", "null"]},
        "line_start": {"type": "integer"},
        "line_end": {"type": "integer"},
    },
}
_ANSWER = {
    "type": "object",
    "description": "Keys with the scope `staff` get everything about the answer.",
    "properties": {
        "id": _TEXT,
        "answer": _TEXT,
        "language": {"enum": ["ja", "en", "other"]},
        "found": {"type": "boolean"},
        "caution": {"type": "boolean"},
        "citations": {"type": "array", "items": _CITATION},
    },
}
_REPLY = {
    "type": "object",
    "properties": {
        "message_id": _TEXT,
        "reply": {
            "type": ["object", "null"],
            "properties": {"text": _TEXT, "stage": _TEXT, "caution": _TEXT, "sources": {"type": "array"}},
        },
    },
}
_CONVERSATION = {"name": "conversation", "in": "path", "required": True, "schema": _TEXT}


def describe() -> dict[str, Any]:
    """The whole document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Kiyo",
            "version": "1",
            "description": "Answers from your documents, with sources.",
        },
        "security": [{"key": []}],
        "components": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
        "paths": {
            "/v1/ask": {"post": _operation("Ask one question", ["question"], _asked(), _ANSWER)},
            "/v1/conversations/{conversation}/messages": {
                "parameters": [_CONVERSATION],
                "post": _operation("Say something in a conversation", ["text"], {"text": _TEXT}, _REPLY),
                "get": {
                    "summary": "What was said, oldest first",
                    "responses": {"200": _content("The turns", {"type": "object"}), **_failures()},
                },
            },
        },
    }


def _asked() -> dict[str, Any]:
    return {"question": _TEXT, "history": {"type": "array", "items": _TURN}}


def _operation(
    summary: str, required: list[str], properties: dict[str, Any], result: dict[str, Any]
) -> dict[str, Any]:
    schema = {"type": "object", "required": required, "properties": properties}
    return {
        "summary": summary,
        "description": "With `Accept: text/event-stream` progress comes first, then the result.",
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
        "responses": {"200": _content("The result", result), **_failures()},
    }


def _failures() -> dict[str, Any]:
    said = {"400": "Not understood", "401": "No valid key", "413": "Too long", "503": "Not now"}
    return {status: _content(text, _ERROR) for status, text in said.items()}


def _content(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}
