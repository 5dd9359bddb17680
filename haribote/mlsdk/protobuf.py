"""As much of the protobuf wire format as a trace needs: fields of numbers, text and messages."""

from __future__ import annotations


def varint(value: int) -> bytes:
    """A number, seven bits a byte, the lowest first."""
    result = bytearray()
    while value > 0x7F:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    result.append(value)
    return bytes(result)


def number(field: int, value: int) -> bytes:
    """A field of an unsigned number."""
    return varint(field << 3) + varint(value)


def content(field: int, value: bytes | str) -> bytes:
    """A field of text or of a message that is written already."""
    data = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(data)) + data
