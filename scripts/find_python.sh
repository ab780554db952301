#!/bin/sh
# Prints a Python that is 3.11 or newer and can make a virtual environment: the first of these that is.
for name in python3 python3.13 python3.12 python3.11; do
    if "$name" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
        command -v "$name"
        exit 0
    fi
done
cat >&2 <<'END'
streamframes needs Python 3.11 or newer with the venv module.
None of python3, python3.13, python3.12 and python3.11 on the path is that
(on Debian and Ubuntu: apt-get install python3 python3-venv).
END
exit 1
