"""Programs of real libraries, with `mnjit` in place of `jax.jit`: each runs beside `jax.jit` and measures both.

python -m haribote.jax.programs.mnist --device host
python -m haribote.jax.programs.particles --device chip --picture particles.svg
python -m haribote.jax.programs.channel --device chip --picture channel.svg
"""
