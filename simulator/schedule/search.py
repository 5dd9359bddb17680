"""x"""

from simulator.schedule.list_scheduler import Problem
def searched(problem: Problem, least: int, effort: int) -> list[int]: ...
