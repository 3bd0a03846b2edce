"""Messages that are received in another order than they were sent."""

from __future__ import annotations

import random
from dataclasses import dataclass

import torch
import torch.distributed as dist

from jobs.joining import joined

_PHASES = 6
_MESSAGES = 8
_TAGS = 3

#: Per receive: the sender of the message, and its number among that sender's messages.
Taken = tuple[int, int]


@dataclass
class _Message:
    sender: int
    tag: int
    #: Whether the receive accepts any sender.
    any_source: bool


def _phase(chosen: random.Random, senders: list[int]) -> list[_Message]:
    """Returns messages that can be received in any order of their receives.

    A receive from any source could take a message meant for another receive. A tag therefore has
    either receives of one kind or messages of one sender.
    """
    only = {tag: chosen.choice([None, *senders]) for tag in range(_TAGS)}
    any_source = {tag: chosen.random() < 0.5 for tag in range(_TAGS)}
    messages = []
    for _ in range(_MESSAGES):
        tag = chosen.randrange(_TAGS)
        sender = only[tag]
        kind = chosen.random() < 0.5 if sender else any_source[tag]
        messages.append(_Message(sender or chosen.choice(senders), tag, kind))
    return messages


def _receive(messages: list[_Message], chosen: random.Random, together: bool) -> list[Taken]:
    tensors, works = [], []
    for message in chosen.sample(messages, len(messages)):
        tensor = torch.zeros(2, dtype=torch.int64)
        source = None if message.any_source else message.sender
        tensors.append(tensor)
        work = dist.irecv(tensor, source, tag=message.tag)
        assert work is not None
        if together:
            works.append(work)
        else:
            work.wait()
    for work in works:
        work.wait()
    return [(int(tensor[0]), int(tensor[1])) for tensor in tensors]


def out_of_order(seed: str, together: bool) -> list[Taken]:
    """Rank 0 receives, singly or in batches, the messages of the others.

    Returns the received messages, in call order.
    """
    chosen = random.Random(seed)
    taken: list[Taken] = []
    with joined() as rank:
        senders = list(range(1, dist.get_world_size()))
        sent = 0
        for _ in range(_PHASES):
            messages = _phase(chosen, senders)
            works = []
            for message in messages:
                if message.sender == rank:
                    sent += 1
                    tensor = torch.tensor([rank, sent])
                    works.append(dist.isend(tensor, 0, tag=message.tag))
            if rank == 0:
                taken += _receive(messages, random.Random(f"{seed} {len(taken)}"), together)
            for work in works:
                assert work is not None
                work.wait()
            dist.barrier()
    return taken
