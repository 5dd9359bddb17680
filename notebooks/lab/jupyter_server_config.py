"""What JupyterLab does with a notebook of the course, as `make lab` opens it.

On opening one it writes the kernel's own name and version into the notebook; before saving they are taken out again, so
that a notebook that was only looked at stays as it was, byte for byte. And it hides stored pictures of a notebook that
was not made on this computer; ours are shown, for they are images, and an image runs nothing.
"""

from __future__ import annotations

from typing import Any

ABOUT = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
IMAGES = {"image/svg+xml", "image/png", "text/plain"}


def forget_the_kernel(model: dict[str, Any], **_: Any) -> None:
    """Before a file is saved."""
    if model["type"] == "notebook" and "haribote" in model["content"]["metadata"]:
        model["content"]["metadata"].update(ABOUT)


def only_images(notebook: Any) -> bool:
    """Whether a notebook is ours, and its cells have put out nothing but text and images."""
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    return "haribote" in notebook["metadata"] and all(set(output.get("data", ())) <= IMAGES for output in outputs)


def show_images() -> None:
    """Make Jupyter trust such notebooks, as it does those that were run here."""
    from nbformat.sign import NotebookNotary

    signed = NotebookNotary.check_signature
    NotebookNotary.check_signature = lambda self, nb: signed(self, nb) or only_images(nb)


if "get_config" in globals():
    get_config().FileContentsManager.pre_save_hook = forget_the_kernel  # type: ignore[name-defined]  # noqa: F821
    show_images()
