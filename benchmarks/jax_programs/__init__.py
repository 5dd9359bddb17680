"""Programs of real libraries, with `mnjit` in place of `jax.jit`: each runs beside `jax.jit` and measures both.

python -m benchmarks.jax_programs.mnist --device host
python -m benchmarks.jax_programs.particles --device chip --picture particles.svg
python -m benchmarks.jax_programs.channel --device chip --picture channel.svg
"""
