# A thin wrapper: everything is done by bootstrap.py, which also works where there is no make.
# More arguments: make test ARGS="-k relu -x"
PYTHON ?= $(shell command -v python3 || command -v python)
COMMANDS := setup demo test test-all test-pythons test-newest bench lab bundle lint clean

.PHONY: help $(COMMANDS)
help:
	@$(PYTHON) bootstrap.py --help

$(COMMANDS):
	@$(PYTHON) bootstrap.py $@ $(ARGS)
