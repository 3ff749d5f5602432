"""Tokiame Web API v2 の小さなクライアント（見本）。

標準ライブラリだけで動きます。トークンはアプリの「アカウント」→「開発者」で作り、
環境変数 TOKIAME_TOKEN に入れてください。Web API はファームプランで使えます。

    client = TokiameClient.from_environment()
    for zone in client.list_zones("d_1042"):
        print(zone["name"], zone["next_start"])
"""

import json
import os
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

API_BASE = "https://api.tokiame.example/v2"
MAX_ATTEMPTS = 4
MAX_MINUTES = 120  # 1回の水やりの上限。本体の上限と同じ


class TokiameError(Exception):
    """クラウドが要求を断った。`code` は zone_busy、plan_required など。"""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code


@dataclass(frozen=True)
class TokiameClient:
    """1つのトークンで Web API を呼ぶ。スレッド間で共有してよい。"""

    token: str
    base: str = API_BASE
    timeout_seconds: float = 10.0

    @classmethod
    def from_environment(cls) -> "TokiameClient":
        """環境変数 TOKIAME_TOKEN からトークンを読む。なければ KeyError。"""
        return cls(token=os.environ["TOKIAME_TOKEN"])

    def list_zones(self, device_id: str) -> Iterator[dict[str, Any]]:
        """本体の系統を順に返す。1ページは100件で、`next` がなくなるまで読む。"""
        path: str | None = f"/devices/{device_id}/zones"
        while path is not None:
            page = self._call("GET", path)
            yield from page["items"]
            path = page["next"]

    def start_zone(self, zone_id: str, minutes: int) -> str:
        """系統を今すぐ動かし、run_id を返す。

        minutes は 1 から 120 まで。通信が途切れて再送しても二重に水をまかないように、
        呼び出しごとに Idempotency-Key を1つ作り、再送でも同じ値を使う。
        """
        if not 1 <= minutes <= MAX_MINUTES:
            raise ValueError(f"minutes は 1〜{MAX_MINUTES} で指定してください: {minutes}")
        key = uuid.uuid4().hex
        run = self._call("POST", f"/zones/{zone_id}/start", {"minutes": minutes}, key)
        return str(run["run_id"])

    def _call(
        self, method: str, path: str, body: dict[str, Any] | None = None, key: str | None = None
    ) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        if key is not None:
            headers["Idempotency-Key"] = key
        payload = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, payload, headers, method=method)
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                with urllib.request.urlopen(request, timeout=self.timeout_seconds) as response:
                    answer: dict[str, Any] = json.load(response)
                    return answer
            except urllib.error.HTTPError as failure:
                # 429 は1分60回の上限を超えたとき。Retry-After の秒数だけ待つ
                if failure.code == 429 and attempt < MAX_ATTEMPTS:
                    time.sleep(float(failure.headers.get("Retry-After", "1")))
                    continue
                error = json.load(failure)["error"]
                raise TokiameError(failure.code, error["code"], error["message"]) from failure
        raise AssertionError("到達しない")
