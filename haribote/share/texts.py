"""What page and pictures say of a story, in the language of the moment."""

from __future__ import annotations

from haribote.share.digit import Answer
from haribote.share.recording import Kernel
from haribote.share.story import Story
from haribote.training.train import DATA_NAMES
from simulator.messages import Text, shown, tr

KINDS = {
    "down": Text("from DRAM to the PEs"),
    "up": Text("back to DRAM"),
    "product": Text("matrix product"),
    "elementwise": Text("element by element"),
    "reduction": Text("sum or maximum"),
}
"""Of kernels, in the order of the legend."""


def title(story: Story) -> str:
    """Whose compiler this is."""
    if story.author == "yours":
        return tr("{name}'s compiler at work", story.name) if story.name else tr("My compiler at work")
    return tr("{name} shows Haribote at work", story.name) if story.name else tr("Haribote at work")


def subtitle(story: Story) -> str:
    """What is to be seen."""
    return tr(
        "A graph compiler trains a digit recogniser, {widths}, on a simulated MN-Core 2. Here is one of its training "
        "steps, inside the chip, and what {steps} of them teach the network.",
        story.widths,
        len(story.losses),
    )


def whose(story: Story, owner: str) -> str:
    """The name of an owner: the learner by the name that was given; the course's answers; the product."""
    if owner == "yours":
        return story.name or tr("the learner")
    return tr("the course's answers") if owner == "reference" else tr("the course's compiler")


def shares(story: Story) -> str:
    """What the shares of the ledger are of."""
    return tr("How much of what the chip does in a step is by {name}.", whose(story, story.author))


def kernel_label(story: Story, kernel: Kernel) -> str:
    """A kernel, its task and whose it is: `Gemm logits · task 5.19 · Aki`."""
    task = [tr("task {task}", kernel.task)] if kernel.task else []
    return " · ".join([f"{kernel.operator} {kernel.node}", *task, whose(story, kernel.owner)])


def data_name(story: Story) -> str:
    """Of the data set."""
    return shown(DATA_NAMES.get(story.data, story.data))


def digit_title(story: Story) -> str:
    """Whose digit it is."""
    if not story.digit.drawn:
        return tr("A digit that it has never seen")
    return tr("A digit drawn by {name}", story.name) if story.name else tr("A digit drawn by hand")


def digit_text(story: Story) -> str:
    """Where the digit comes from, and what the network sees of it."""
    side = story.network.side
    parts = []
    if not story.digit.drawn and story.digit.label == story.answers[-1].digit:
        told = tr("No picture was given: this is the first test picture of {data} that it reads right in the end.",
                  data=data_name(story))  # fmt: skip
        parts.append(told)
    elif not story.digit.drawn:
        parts.append(tr("No picture was given: this is the first test picture of {data}.", data_name(story)))
    if side != len(story.digit.picture):
        parts.append(tr("The network sees {side}x{side} pixels of it.", side))
    if story.trained is not None:
        parts.append(
            tr(
                "The last answer is that of the whole training, {epochs} epochs, which gets {accuracy} of the test "
                "digits right.",
                story.trained.epochs,
                f"{100 * story.trained.accuracy:.1f} %",
            )
        )
    return " ".join(parts)


def says(story: Story, answer: Answer) -> str:
    """What the network says of the digit, and whether that is right where it is known."""
    share = f"{100 * answer.shares[answer.digit]:.0f} %"
    said = tr("after {steps} steps: {digit}, sure to {share}", answer.steps, answer.digit, share)
    if story.digit.label is None:
        return said
    right = tr("right") if story.digit.label == answer.digit else tr("wrong, it is {label}", story.digit.label)
    return tr("{said} ({right})", said, right)


def loss_text(story: Story) -> str:
    """What the curve is of, and what came of it."""
    return tr(
        "Loss of {steps} steps of 256 pictures each ({data}); after them {accuracy} of the test pictures are right.",
        len(story.losses),
        data_name(story),
        f"{100 * story.accuracy:.1f} %",
    )


def cycles(count: float) -> str:
    """`5,584 cycles`."""
    return tr("{count:,.0f} cycles", count)


def between() -> str:
    """What runs where no kernel does."""
    return tr("waiting, between two kernels")


def all_of_it(story: Story) -> str:
    """Said where nothing in the step is anyone else's; "" elsewhere."""
    if not story.ledger.all_yours:
        return ""
    return tr("All of it is {name}'s.", story.name) if story.name else tr("All of it is the learner's own.")
