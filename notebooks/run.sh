#!/usr/bin/env bash
# Executes the notebooks in a Python environment made from requirements.txt; fails if a cell fails.
#
#   notebooks/run.sh                    all notebooks, results thrown away
#   notebooks/run.sh --inplace          and keeps the results in the notebooks
#   notebooks/run.sh 5-exported-network.ipynb
#
# The environment is notebooks/.venv, made at the first run; NOTEBOOKS_VENV names another folder. Needs python3 with venv.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
venv=${NOTEBOOKS_VENV:-.venv}
stamp=$venv/requirements.sha256

inplace=
if [ "${1:-}" = --inplace ]; then
    inplace=--inplace
    shift
fi
if ! sha256sum --status --check "$stamp" 2>/dev/null; then
    python3 -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r requirements.txt
    sha256sum requirements.txt > "$stamp"
fi
[ $# -gt 0 ] || set -- *.ipynb
for notebook in "$@"; do
    echo "notebooks/$notebook"
    # The kernel is the environment's own, whatever kernels the machine has.
    "$venv/bin/jupyter" execute $inplace --kernel_name=python3 --timeout=600 "$notebook"
done
