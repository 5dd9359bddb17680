"""Language models whose shapes never change: the mask of a padded prompt, and a cache of fixed length as one tensor."""

from haribote.mlsdk.experimental.llm import attention_mask, kv_cache

__all__ = ["attention_mask", "kv_cache"]
