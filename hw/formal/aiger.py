# SPDX-License-Identifier: Apache-2.0
"""And-inverter graphs in the AIGER format as Yosys writes them, and questions about one step of them.

A literal is twice a variable's number, plus one if it is inverted; 0 is false and 1 is true.
"""
from pathlib import Path


class Aiger:
    """A sequential circuit. Variables: inputs, then latches, then AND gates, from 1 on."""

    def __init__(self, path):
        header, self._rest = Path(path).read_bytes().split(b"\n", 1)
        numbers = [int(word) for word in header.split()[1:]] + [0, 0]
        _, self.inputs, latches, outputs, ands, bads, constraints = numbers[:7]
        self._at = 0
        self.next = [self._line()[0] for _ in range(latches)]
        self.outputs = [self._line()[0] for _ in range(outputs)]
        self.bads = [self._line()[0] for _ in range(bads)]
        self.constraints = [self._line()[0] for _ in range(constraints)]
        first = 1 + self.inputs + latches
        self.ands = []
        for gate in range(first, first + ands):
            left = 2 * gate - self._delta()
            self.ands.append((left, left - self._delta()))
        # Names by kind and number: i0, l0, o0; without one where Yosys made the net up.
        self.names = {}
        for line in self._rest[self._at:].decode().split("\n"):
            if line == "c":
                break
            key, _, name = line.partition(" ")
            self.names[key] = name

    def _line(self):
        end = self._rest.index(b"\n", self._at)
        words = self._rest[self._at:end].split()
        self._at = end + 1
        return [int(word) for word in words]

    def _delta(self):
        value = shift = 0
        while True:
            byte = self._rest[self._at]
            self._at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    def inputs_behind(self, literals):
        """Names of the inputs that a combinational path joins with one of `literals`."""
        gates = 1 + self.inputs + len(self.next)
        seen, todo, found = set(), [literal >> 1 for literal in literals], []
        while todo:
            variable = todo.pop()
            if variable in seen:
                continue
            seen.add(variable)
            if variable >= gates:
                todo += [literal >> 1 for literal in self.ands[variable - gates]]
            elif 0 < variable <= self.inputs and f"i{variable - 1}" in self.names:
                found.append(self.names[f"i{variable - 1}"])
        return sorted(found)


class Question:
    """A combinational circuit whose outputs ask whether they can be true."""

    def __init__(self):
        self.inputs = 0
        self._gates = []   # inputs are negative until their number is known
        self._known = {}
        self.outputs = []

    def fresh(self, count):
        """New inputs, which may be anything."""
        self.inputs += count
        return [-2 * (self.inputs - i) for i in range(count)]

    def all_of(self, literals):
        result = 1
        for literal in literals:
            result = self.both(result, literal)
        return result

    def any_of(self, literals):
        return self.all_of([literal ^ 1 for literal in literals]) ^ 1

    def differ(self, a, b):
        return self.both(self.both(a, b) ^ 1, self.both(a ^ 1, b ^ 1) ^ 1)

    def both(self, a, b):
        if a == 0 or b == 0 or a == b ^ 1:
            return 0
        if a == 1 or a == b:
            return b
        if b == 1:
            return a
        key = (a, b) if a > b else (b, a)
        if key not in self._known:
            self._gates.append(key)
            self._known[key] = 2 * len(self._gates)
        return self._known[key]

    def copy(self, circuit, state):
        """`circuit` with latches at `state` and fresh inputs: a function from its literals to ours."""
        values = [0, *self.fresh(circuit.inputs), *state]
        for a, b in circuit.ands:
            values.append(self.both(values[a >> 1] ^ (a & 1), values[b >> 1] ^ (b & 1)))
        return lambda literal: values[literal >> 1] ^ (literal & 1)

    def write(self, path):
        def of(literal):
            # -2i is input i, and -2i + 1 its inverse; 2g is gate g.
            if literal in (0, 1):
                return literal
            inverted = literal & 1
            plain = literal - inverted
            return (-plain if plain < 0 else plain + 2 * self.inputs) + inverted

        with open(path, "wb") as file:
            file.write(b"aig %d %d 0 %d %d\n" % (self.inputs + len(self._gates), self.inputs,
                                                 len(self.outputs), len(self._gates)))
            for literal in self.outputs:
                file.write(b"%d\n" % of(literal))
            for index, (a, b) in enumerate(self._gates):
                gate = 2 * (self.inputs + index + 1)
                high, low = sorted((of(a), of(b)), reverse=True)
                for delta in (gate - high, high - low):
                    while delta >= 128:
                        file.write(bytes([delta & 127 | 128]))
                        delta >>= 7
                    file.write(bytes([delta]))

    def values(self, answer):
        """All literals' values as a function, for inputs `answer`, a string of zeros and ones."""
        gates = [0]

        def of(literal):
            inverted = literal & 1
            plain = literal - inverted
            if plain < 0:
                return int(answer[-plain // 2 - 1]) ^ inverted
            return gates[plain // 2] ^ inverted

        for a, b in self._gates:
            gates.append(of(a) & of(b))
        return of


def induction(circuit, steps, chosen):
    """Can one of the `chosen` assertions fail after `steps` steps in which all held, from any state? A question
    of one output, and for each step its state and the function of its literals."""
    question = Question()
    state = question.fresh(len(circuit.next))
    given = 1
    frames = []
    for _ in range(steps + 1):
        at = question.copy(circuit, state)
        frames.append((state, at))
        given = question.both(given, question.all_of([at(c) for c in circuit.constraints]))
        question.outputs = [question.both(given, question.any_of([at(bad) for bad in chosen]))]
        given = question.both(given, question.any_of([at(bad) for bad in circuit.bads]) ^ 1)
        state = [at(n) for n in circuit.next]
    return question, frames


def idle(circuit, condition):
    """Can a latch change at an edge while `condition` is up? A question of one output with the change
    of each latch, the state, and the function of its literals."""
    question = Question()
    state = question.fresh(len(circuit.next))
    at = question.copy(circuit, state)
    question.changes = [question.differ(q, at(n)) for q, n in zip(state, circuit.next)]
    question.outputs = [question.both(at(condition), question.any_of(question.changes))]
    return question, state, at
