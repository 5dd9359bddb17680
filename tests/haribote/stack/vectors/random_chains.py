"""Random chains of operators over random layouts, operands broadcast or not; every result is exact in single."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from haribote.stack.maps import COPY, NOTHING, Bit, BitMap, W, address, broadcast, unit_bits
from tests.haribote.stack.vectors.chip import node

SHAPES = ((16, 16), (4, 8, 16), (256, 16), (10,), (5, 8), (12, 16), (64, 4), (128, 8), (2,), (300,))


def first_map(random: Random, shape: tuple[int, ...]) -> BitMap:
    """Index bits anywhere in the PEs; what is left holds copies or nothing."""
    width = BitMap("LM", shape, ()).width
    free: list[Bit] = [*unit_bits("LM"), W, *map(address, range(5))]
    random.shuffle(free)
    carries = dict(zip(free, range(width), strict=False))
    for bit in free[width:]:
        if bit.level != "address" or random.random() < 0.1:
            carries[bit] = random.choice((COPY, COPY, NOTHING))
    return BitMap.of("LM", shape, carries)


def operand_map(random: Random, first: BitMap) -> BitMap:
    """A map of a shape that is broadcast to the first one's: the same in units, any order in the words of a PE."""
    shape = tuple(size if random.random() < 0.7 else 1 for size in first.shape)
    shape = shape[random.randint(0, len(shape) - 1) :] if random.random() < 0.3 else shape
    own = BitMap("LM", shape, ())
    wide = broadcast(BitMap("LM", shape, tuple((address(n), n) for n in range(own.width))), first.shape)
    names = {carry: bit.number for bit, carry in wide.carries}  # index bit of the first map: own index bit
    carries: dict[Bit, int] = {}
    for bit in unit_bits("LM"):
        carry = first[bit]
        free = random.choice((COPY, NOTHING)) if carry == NOTHING else COPY
        carries[bit] = names.get(carry, COPY) if carry >= 0 else free
    left = [n for n in range(own.width) if n not in carries.values()]
    places = [W, *map(address, range(5))]
    random.shuffle(places)
    if W in first.places.get(max((first[W], -1)), ()) and first[W] in names and random.random() < 0.7:
        carries[W] = names[first[W]]
        left.remove(names[first[W]])
        places.remove(W)
    carries |= dict(zip(places, left, strict=False))
    carries.setdefault(W, random.choice((COPY, NOTHING)))
    return BitMap.of("LM", shape, carries)


@dataclass
class Chain:
    """nodes with their inputs; outputs: names that are asked for."""

    nodes: list[onnx.NodeProto]
    arrays: dict[str, NDArray[Any]]
    constants: dict[str, NDArray[Any]]
    outputs: list[str]


FLOATS = (
    "Add",
    "Sub",
    "Mul",
    "Max",
    "Min",
    "Neg",
    "Abs",
    "Relu",
    "Floor",
    "Ceil",
    "Round",
    "Sign",
    "Clip",
    "LeakyRelu",
)
INTS = ("Add", "Sub", "Max", "Min", "Neg", "Abs", "Sign", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot")
COMPARISONS = ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")
LOGIC = ("And", "Or", "Xor", "Not")
SHORT, MOST_OUTPUTS = 12, 6
"""Nodes of a chain whose results may all be outputs; outputs of a longer one, which find room in every bank."""
ONE = ("Neg", "Abs", "Relu", "Floor", "Ceil", "Round", "Sign", "LeakyRelu", "BitwiseNot", "Not")


def chain(random: Random, maps: Mapping[str, BitMap], length: int, reach: int = 6) -> Chain:
    """Floats are small multiples of 1/8, of which sums and two products in a row are exact. reach: how many of the
    last results of a kind may be operands.
    """
    numbers = np.random.default_rng(random.randint(0, 1 << 30))
    made = Chain([], {}, {}, [])
    names: dict[str, list[str]] = {"float": [], "int": [], "bool": []}
    for name, found in maps.items():
        kind = random.choice(("float", "float", "int", "bool"))
        integers = numbers.integers(-16, 17, found.shape)
        made.arrays[name] = {
            "float": (integers / 8).astype(np.float32),
            "int": integers.astype(np.int32),
            "bool": integers > 0,
        }[kind]
        names[kind].append(name)
    made.constants |= {"half": np.array([0.5], np.float32), "zero": np.array([0], np.float32)}
    made.constants |= {
        "three": np.array([3], np.int32),
        "two": np.array(2, np.float32),
        "minus": np.array(-1, np.float32),
    }
    names["float"] += ["half", "zero"]
    names["int"].append("three")
    products = 0
    for number in range(length):
        result = f"t{number}"
        choice = random.choice(("float", "float", "float", "int", "compare", "compare", "where", "cast", "logic"))
        kind = "float" if choice in ("float", "compare", "where") and random.random() < 0.7 else "int"
        pick = lambda k: random.choice(names[k][-reach:])  # noqa: E731
        if choice in ("float", "int"):
            op = random.choice(FLOATS if choice == "float" else INTS)
            products += op == "Mul"
            op = "Add" if op == "Mul" and products > 2 else op
            operands = [pick(choice)] + ["minus", "two"] * (op == "Clip") + [pick(choice)] * (op not in (*ONE, "Clip"))
            attributes = {"alpha": 0.25} if op == "LeakyRelu" else {}
            kind = choice
        elif choice == "compare":
            op, operands, attributes = random.choice(COMPARISONS), [pick(kind), pick(kind)], {}
            kind = "bool"
        elif choice == "cast":
            source = random.choice([k for k in names if names[k]])
            kind = random.choice(("float", "int", "bool"))
            op, operands = "Cast", [pick(source)]
            attributes = {"to": {"float": 1, "int": 6, "bool": 9}[kind]}
        elif not names["bool"]:
            continue
        elif choice == "logic":
            op = random.choice(LOGIC)
            operands, kind, attributes = [pick("bool") for _ in range(1 + (op not in ONE))], "bool", {}
        else:
            op, operands, attributes = "Where", [pick("bool"), pick(kind), pick(kind)], {}
        made.nodes.append(node(f"{result} = {op} {' '.join(operands)}", **attributes))
        names[kind].append(result)
    used = {name for n in made.nodes for name in n.input}
    made.outputs = [n.output[0] for n in made.nodes if n.output[0] not in used or random.random() < 0.15] or ["x0"]
    if length > SHORT:
        del made.outputs[:-MOST_OUTPUTS]
    return made
