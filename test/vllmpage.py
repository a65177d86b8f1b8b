#!/usr/bin/python3
# Copyright The gym-otelcol Authors
# SPDX-License-Identifier: Apache-2.0
"""A metrics page like vLLM's, written by the Python client library itself.

The engine in this directory writes its page with code of ours. This one is the second
opinion: the same kind of families, from the library that real engines use, on
127.0.0.1. Each scrape counts one more request, so that no two pages are equal.

    vllmpage.py PORT [--openmetrics] [--log FILE]

Without --openmetrics the page is text whatever the client asks for, as vLLM's is; with
it the client's Accept header decides, as with SGLang.
"""

import argparse
import datetime
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from prometheus_client import Counter, Gauge, Histogram, Summary
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, exposition

MODEL = 'org/model "quoted" \\ back\nline ü'
LABELS = ("model_name", "engine")
STEPS = (1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
LATENCIES = (0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0)


def labelled(kind, name, text, **more):
    return kind(name, text, LABELS, **more).labels(MODEL, "0")


class Page:
    """The families, and what one request does to them."""

    def __init__(self):
        self.running = labelled(Gauge, "vllm:num_requests_running", "Requests being computed.")
        self.cache = labelled(Gauge, "vllm:kv_cache_usage_perc", "Used share of the KV cache.")
        self.prompt = labelled(Counter, "vllm:prompt_tokens", "Prompt tokens processed.")
        self.finished = Counter("vllm:request_success", "Requests that ended.", LABELS + ("finished_reason",))
        # A histogram in spite of its name.
        self.steps = labelled(Histogram, "vllm:iteration_tokens_total", "Tokens of a step.", buckets=STEPS)
        self.latency = labelled(Histogram, "vllm:e2e_request_latency_seconds", "Time of a request.", buckets=LATENCIES)
        self.size = Summary("http_request_size_bytes", "Content length of requests.", ("handler",)).labels("/v1/chat/completions")
        self.odd()
        for reason in ("stop", "length", "abort"):
            self.finished.labels(MODEL, "0", reason)

    def odd(self):
        """What real pages have only now and then, and what goes wrong easily."""
        labelled(Gauge, "vllm:two:colons", "A name with two colons.").set(1)
        labelled(Gauge, "vllm:not_a_number", "A value that is none.").set(float("nan"))
        Gauge("my_thing_created", "No creation time, in spite of its name.").set(12345)
        Gauge("vllm:cache_config_info", "Labels only.", ("engine", "sliding_window")).labels("0", "None").set(1)

    def request(self):
        self.prompt.inc(7)
        self.finished.labels(MODEL, "0", "stop").inc()
        self.steps.observe(7)
        self.latency.observe(0.75)
        self.size.observe(100)
        self.cache.set(0.015625)


class Handler(BaseHTTPRequestHandler):
    page = None
    openmetrics = False
    log = None

    def do_GET(self):
        if self.path == "/health":
            self.answer("text/plain", b"")
            return
        begin = now()
        self.page.request()
        encoder, content_type = self.encoder()
        body = encoder(REGISTRY)
        self.note(begin, body)
        self.answer(content_type, body)

    def encoder(self):
        if self.openmetrics:
            return exposition.choose_encoder(self.headers.get("Accept", ""))
        return exposition.generate_latest, CONTENT_TYPE_LATEST

    def note(self, begin, body):
        """Appends the page to the log before it is sent, as the engine does."""
        if self.log:
            line = json.dumps({"begin": begin, "end": now(), "body": body.decode()})
            with open(self.log, "a", encoding="utf-8") as file:
                file.write(line + "\n")

    def answer(self, content_type, body):
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Keeps standard error for trouble."""


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("port", type=int)
    parser.add_argument("--openmetrics", action="store_true")
    parser.add_argument("--log")
    args = parser.parse_args()
    Handler.page, Handler.openmetrics, Handler.log = Page(), args.openmetrics, args.log
    server = ThreadingHTTPServer(("127.0.0.1", args.port), Handler)
    print(f"vllmpage: serving http://127.0.0.1:{server.server_port}/metrics", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
