"""Derives the calls of every rank, and their truth, from a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

from drills.calls import Call, sequence_number
from drills.engines import GLOO, Engine
from drills.faults import FAULTS, Fault, Script
from drills.programs import HEALTHY, groups
from drills.truth import Truth


@dataclass(frozen=True)
class Plan:
    """One drill.

    Attributes:
        script: The calls of each rank.
        starved: Whether all ranks share one core.
    """

    truth: Truth
    script: Script = field(repr=False)
    starved: bool = False
    engine: Engine = GLOO

    @property
    def name(self) -> str:
        """Returns the name of its folder."""
        truth = self.truth
        what = f"{truth.fault}-r{truth.rank}" if truth.fault else truth.program
        name = f"{what}-w{truth.world}-s{truth.seed}" + ("-starved" if self.starved else "")
        return "-".join(filter(None, [name, self.engine.name]))


def healthy(
    program: str, world: int, seed: int = 0, starved: bool = False, engine: Engine = GLOO
) -> Plan:
    """Returns a job without a fault."""
    script = [HEALTHY[program](world, rank) for rank in range(world)]
    return Plan(Truth(world, program, seed), script, starved, engine)


def faulty(name: str, world: int, rank: int, seed: int, engine: Engine = GLOO) -> Plan | None:
    """Returns a job with one fault at a call that the seed selects; None if no call fits."""
    fault = FAULTS[name]
    if engine.is_nccl:
        fits = fault.fits_device or fault.fits
        fault = replace(fault, kinds=fault.kinds + fault.on_device, fits=fits)
    script = [fault.program(world, each, fault.steps) for each in range(world)]
    calls = script[rank]
    # Not in the first step, because a verdict includes what the ranks agreed on before.
    begin = next(i for i, call in enumerate(calls) if call.op == "step" and call.numel == 1)
    places = [at for at in range(begin, len(calls)) if fault.fits(calls, at)]
    if not places:
        return None
    at = random.Random(f"{name} {world} {rank} {seed}").choice(places)
    truth = _truth(fault, world, rank, seed, calls, at)
    fault.plant(script, rank, at)
    return Plan(truth, script, engine=engine)


def _truth(fault: Fault, world: int, rank: int, seed: int, calls: list[Call], at: int) -> Truth:
    """Returns what a diagnosis must find if the fault is planted at calls[at] of the rank."""
    call = calls[at]
    members = call.members or groups(world)[call.group]
    culprits = {rank}
    if fault.blame == "next":
        culprits.add((rank + 1) % world)
    involved = set(culprits)
    if fault.blame == "pair" and call.peer is not None:
        involved.add(call.peer)
    if fault.blame == "outvoted" and len(members) == 2:
        involved |= set(members)
    if fault.blame == "members":
        involved = set(members)
    if fault.blame == "trio" and call.peer is not None:
        involved |= {call.peer, rank ^ 2}
    return Truth(
        world,
        fault.program.__name__,
        seed,
        fault.name,
        rank,
        at,
        call.op,
        fault.kinds,
        tuple(sorted(culprits)),
        tuple(sorted(involved)),
        call.group if fault.shows else "",
        sequence_number(calls, at) if fault.shows else None,
        members,
        fault.witnesses,
        fault.is_noticed,
    )
