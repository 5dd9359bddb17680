"""A puzzle as a picture: before, wanted and, where there is an answer, what it did. Wrong cells are framed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grader.puzzles.judge import PuzzleOutcome as Outcome
from grader.puzzles.judge import ran
from grader.puzzles.spec import LONG, OLD, Memories, MemoryBoard, Puzzle, words_of
from haribote.words import word
from simulator.isa import ALL_PES
from simulator.messages import shown, tr
from simulator.pictures.canvas import MARGIN, Canvas, Picture, width_of

CELL, HEAD = 22.0, 46.0  # pixels: height of a row, room above the first
GAP = 20.0
ROOM = 704.0
"""Pixels of a picture: what a narrow window shows without scrolling."""
LEAST = 420.0


@dataclass(frozen=True)
class Cell:
    """text: what it holds, "" for what was there before. hue: 0 to 7, or -1 for none."""

    text: str
    hue: int


@dataclass(frozen=True)
class BoardPanel:
    """A board with the contents of one moment."""

    when: str
    board: MemoryBoard
    memories: Memories
    wanted: Memories | None = None

    @property
    def margin(self) -> float:
        """Room for the labels of the rows."""
        return max(width_of(row, "s") for row in self.board.rows) + 8

    @property
    def width(self) -> float:
        """Of the whole panel."""
        cells = self.margin + len(self.board.columns) * self.board.width
        return max(cells, width_of(self.heading, "b"), width_of(self.board.title, "s"))

    @property
    def height(self) -> float:
        """Of the whole panel."""
        return HEAD + CELL * len(self.board.rows)

    @property
    def heading(self) -> str:
        """`wanted`, or what there is to say about the cells of an answer."""
        if self.wanted is None:
            return word(self.when)
        wrong = int(self.wrong().sum())
        if wrong:
            return tr("{when}: {wrong} cell{s} wrong (framed)", word(self.when), wrong, "s" * (wrong != 1))
        return tr("{when}: as wanted ✓", word(self.when))

    def wrong(self) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Which cells are not as wanted."""
        assert self.wanted is not None
        name, place = self.board.memory, self.board.place
        received, wanted = (words_of(name, m[name]).reshape(-1)[place] for m in (self.memories, self.wanted))
        return np.asarray((received != wanted).any(axis=-1))


def puzzle_picture(puzzle: Puzzle, title: str, answer: str | None = None) -> Picture:
    """The puzzle, and below it what an answer did. title: its heading."""
    outcome = ran(puzzle, answer or "nop")
    inputs = [board for board in puzzle.boards if board.memory not in puzzle.targets]
    outputs = [board for board in puzzle.boards if board.memory in puzzle.targets]
    panels = [BoardPanel("before", board, outcome.before) for board in inputs]
    panels += [BoardPanel("wanted", board, outcome.wanted) for board in outputs]
    if answer is not None and outcome.received is not None:
        panels += [
            BoardPanel("yours", board, outcome.received, outcome.wanted) for board in _changed(puzzle, outcome, outputs)
        ]
    canvas = Canvas()
    canvas.text(MARGIN, 28, title, "head")
    y = _frame(canvas, puzzle, answer, 50.0)
    x, bottom, right = MARGIN, y, LEAST
    for panel in panels:
        if x > MARGIN and x + panel.width > ROOM - MARGIN:
            x, y = MARGIN, bottom + 18
        _draw(canvas, puzzle, panel, x, y)
        x, bottom = x + panel.width + GAP, max(bottom, y + panel.height)
        right = max(right, x - GAP + MARGIN)
    return canvas.picture(title, bottom + MARGIN, right)


def _changed(puzzle: Puzzle, outcome: Outcome, outputs: list[MemoryBoard]) -> list[MemoryBoard]:
    """The boards of an answer: those wanted, and any other that it has changed."""
    received = outcome.received or {}
    others = [board for board in puzzle.boards if board not in outputs]
    return outputs + [b for b in others if (received[b.memory] != outcome.before[b.memory]).any()]


def _frame(canvas: Canvas, puzzle: Puzzle, answer: str | None, y: float) -> float:
    """The lines of the program with the room for the answer; returns where the panels may begin."""
    room = tr("your line")
    if puzzle.lines > 1:
        room = tr("your lines: at most {lines}, in {steps} steps", puzzle.lines, puzzle.steps)
    own = [line.strip() for line in (answer or "").split("\n") if line.strip()]
    lines = [(line, "m f") for line in puzzle.before.split("\n") if line]
    lines += [(line, "m b") for line in own] or [(f"[ {shown(room)} ]", "m b")]
    lines += [(line, "m f") for line in puzzle.after.split("\n") if line]
    for text, style in lines:
        canvas.text(MARGIN, y, text, style, room=LEAST - 2 * MARGIN, size=13)
        y += 18
    return y + 8


def _draw(canvas: Canvas, puzzle: Puzzle, panel: BoardPanel, x: float, y: float) -> None:
    board = panel.board
    state = "" if panel.wanted is None else " bad" if panel.wrong().any() else " good"
    canvas.text(x, y + 10, panel.heading, f"b{state}")
    canvas.text(x, y + 25, board.title, "s f")
    left, top = x + panel.margin, y + HEAD
    for number, text in enumerate(board.columns):
        canvas.text(left + (number + 0.5) * board.width, top - 5, text, "s f", anchor="middle")
    cells = _cells(puzzle, board, panel.memories)
    wrong = panel.wrong() if panel.wanted is not None else np.zeros(board.place.shape[:2], np.bool_)
    for row, label in enumerate(board.rows):
        canvas.text(left - 6, top + row * CELL + 15, label, "s f", anchor="end")
        for column, cell in enumerate(cells[row]):
            at_x, at_y = left + column * board.width, top + row * CELL
            style = f"h{cell.hue}" if cell.hue >= 0 else "empty"
            canvas.rect(at_x, at_y, board.width - 2, CELL - 2, style, round_=2)
            tone = "m on" if cell.hue >= 0 else "m f"
            canvas.text(at_x + board.width / 2 - 1, at_y + 14, cell.text, tone, anchor="middle", room=board.width - 2)
            if wrong[row, column]:
                canvas.path(f"M{at_x - 1:g} {at_y - 1:g}h{board.width:g}v{CELL:g}h{-board.width:g}z", "halo")
                canvas.path(f"M{at_x - 1:g} {at_y - 1:g}h{board.width:g}v{CELL:g}h{-board.width:g}z", "bad-line",
                            more='style="stroke-width: 2.5"')  # fmt: skip


def _cells(puzzle: Puzzle, board: MemoryBoard, memories: Memories) -> list[list[Cell]]:
    words = words_of(board.memory, memories[board.memory]).reshape(-1)[board.place].view(np.float32)
    cells = []
    for row in range(words.shape[0]):
        cells.append([_cell(puzzle, board, words[row, n], board.place[row, n]) for n in range(words.shape[1])])
    return cells


def _cell(
    puzzle: Puzzle, board: MemoryBoard, words: np.ndarray[tuple[int, ...], np.dtype[np.float32]], place: object
) -> Cell:
    """What a cell says: where its words are from, or which numbers they are."""
    if (words == OLD).all():
        return Cell("·", -1)
    if puzzle.numbers:
        hue = board.hue(int(np.asarray(place).flat[0]))
        return Cell(" ".join("·" if word == OLD else f"{word:g}" for word in words.tolist()), hue)
    first, hue, stride = _origin(puzzle, float(words[0]))
    whole = np.array_equal(words, words[0] + stride * np.arange(len(words)))
    return Cell(first if whole else f"{first}…", hue)


def _origin(puzzle: Puzzle, word: float) -> tuple[str, int, int]:
    """Where a word of the picture was at first: label, hue, and how much more the word behind it counts."""
    for name, numbers in puzzle.numbers_of.items():
        if numbers.start <= word < numbers.stop:
            board = next((board for board in puzzle.boards if board.memory == name), None)
            index, stride = int(word) - numbers.start, 1 if name in LONG else ALL_PES  # a row of LM: a word of every PE
            return (board.label(index), board.hue(index), stride) if board else ("?", 7, stride)
    return "0" if word == 0 else f"{word:g}", -1, 0
