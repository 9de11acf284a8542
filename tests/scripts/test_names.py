# SPDX-License-Identifier: Apache-2.0
"""No two tests have the same name: CTest would give both the properties of one, and with its label
`long` the other one would be left out as well. Argument: the build folder.
"""
import collections
import json
import subprocess
import sys

listing = subprocess.run(["ctest", "--test-dir", sys.argv[1], "--show-only=json-v1"],
                         stdout=subprocess.PIPE, text=True, check=True)
names = collections.Counter(test["name"] for test in json.loads(listing.stdout)["tests"])
twice = sorted(name for name, count in names.items() if count > 1)
for name in twice:
    print(f"{name}: {names[name]} tests have this name")
sys.exit(1 if twice else 0)
