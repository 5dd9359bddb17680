"""What the vendor calls experimental: `mlsdk.experimental.llm`."""

from haribote.mlsdk.experimental import llm

__all__ = ["llm"]
