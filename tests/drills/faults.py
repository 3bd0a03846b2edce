"""Defines the faults. Each changes the behaviour of one rank at one call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from drills.calls import WORLD, Call
from drills.engines import Engine
from drills.programs import SECOND, exchange, grid, mixed, pipeline, replicas, training
from drills.truth import MOST

# Each delay exceeds what a busy host takes from ranks by chance. DELAY_S also exceeds the drills'
# threshold for lateness.
DELAY_S = 4.0
SLOW_S = 0.15
# Bytes per second: a message of the exchange then takes 250 ms.
THROTTLED = 1 << 20
_HEAD_START_S = 0.5

#: The calls of all ranks.
Script = list[list[Call]]


@dataclass(frozen=True)
class Fault:
    """One kind of fault of a rank.

    Attributes:
        kinds: The verdicts that name it, the best one first.
        fits: Whether it can be planted at a call of a list.
        plant: Plants it, given the script, the rank and the number of the call.
        blame: The ranks that must be named. "alone": the rank. "outvoted": the rank, or both
            if the group has two members. "pair": the rank, at most with its peer. "members": the
            rank, at most with the rest of the group. "next": the rank and the one it sends to.
            "trio": the rank, at most with the one that waits for it and the one that it wrongly
            communicates with.
        shows: Whether the verdict must name the group and number of the call.
        witnesses: Number of other ranks whose records the verdict needs, or MOST. All of them
            if the others may be waiting for a rank without records.
        program: The job that it is planted in.
        steps: The number of its steps.
        from_world: The smallest world it can be planted in.
        over: The engines on which it is possible: "gloo", "nccl".
        fits_device: Replaces `fits` on devices, if fewer calls fit there.
        on_device: Additional valid verdicts on devices, because hosts run ahead: all ranks have
            called the blocked operation, and no call blocks the missing rank.
        is_noticed: Whether the engine detects it by itself.
    """

    name: str
    kinds: tuple[str, ...]
    fits: Callable[[list[Call], int], bool]
    plant: Callable[[Script, int, int], None]
    blame: str = "outvoted"
    shows: bool = True
    witnesses: int = 2
    program: Callable[[int, int, int], list[Call]] = mixed
    steps: int = 3
    from_world: int = 2
    over: tuple[str, ...] = ("gloo", "nccl")
    on_device: tuple[str, ...] = ()
    fits_device: Callable[[list[Call], int], bool] | None = None
    is_noticed: bool = False


def _plain(calls: list[Call], at: int) -> bool:
    """Matches a blocking collective of the world or a half that depends on all members."""
    call = calls[at]
    return call.op == "all_reduce" and call.is_blocking and call.group != SECOND


def _of_pair(calls: list[Call], at: int) -> bool:
    return calls[at].op == "all_reduce" and calls[at].group.startswith("tp")


def _before_barrier(calls: list[Call], at: int) -> bool:
    """Matches the last collective of a sub-group before the barrier of all ranks."""
    return calls[at].op == "all_reduce" and calls[at + 1].op == "barrier"


def _of_world(calls: list[Call], at: int) -> bool:
    return _plain(calls, at) and calls[at].group == WORLD


def _one_of(*ops: str) -> Callable[[list[Call], int], bool]:
    return lambda calls, at: calls[at].op in ops and calls[at].is_blocking


def _two_in_a_row(same_group: bool) -> Callable[[list[Call], int], bool]:
    """Matches a collective before one that differs in kind, or in its group."""

    def fits(calls: list[Call], at: int) -> bool:
        first, second = calls[at : at + 2] if at + 1 < len(calls) else (calls[at], Call("end"))
        both = {first.op, second.op} <= {"all_reduce", "all_gather"}
        if same_group:
            return both and first.group == second.group and first.op != second.op
        return both and {first.group, second.group} == {WORLD, SECOND}

    return fits


def _followed_by_another(calls: list[Call], at: int) -> bool:
    return _two_in_a_row(same_group=True)(calls, at) and calls[at].op == "all_reduce"


def _insert(*calls: Call) -> Callable[[Script, int, int], None]:
    def plant(script: Script, rank: int, at: int) -> None:
        script[rank][at:at] = calls

    return plant


def _change(**values: object) -> Callable[[Script, int, int], None]:
    def plant(script: Script, rank: int, at: int) -> None:
        script[rank][at] = replace(script[rank][at], **values)  # type: ignore[arg-type]

    return plant


def _extra(script: Script, rank: int, at: int) -> None:
    call = script[rank][at]
    script[rank].insert(at, replace(call, op="barrier"))


def _twice(script: Script, rank: int, at: int) -> None:
    script[rank].insert(at, script[rank][at])


def _missing(script: Script, rank: int, at: int) -> None:
    del script[rank][at]


def _swap(script: Script, rank: int, at: int) -> None:
    calls = script[rank]
    calls[at], calls[at + 1] = calls[at + 1], calls[at]


def _larger(script: Script, rank: int, at: int) -> None:
    _change(numel=script[rank][at].numel + 8)(script, rank, at)


def _other_root(script: Script, rank: int, at: int) -> None:
    call = script[rank][at]
    after = (call.members.index(call.root or 0) + 1) % len(call.members)
    _change(root=call.members[after])(script, rank, at)


def _other_splits(script: Script, rank: int, at: int) -> None:
    call = script[rank][at]
    more = tuple(n + (member != rank) for member, n in enumerate(call.splits_in))
    _change(splits_in=more, numel=sum(more))(script, rank, at)


def _receive_nothing(script: Script, rank: int, at: int) -> None:
    script[rank].insert(at, replace(script[rank][at], op="recv", tag=9))


def _other_peer(script: Script, rank: int, at: int) -> None:
    _change(peer=rank ^ 2)(script, rank, at)


def _slow_from(script: Script, rank: int, at: int) -> None:
    before, after = script[rank][:at], script[rank][at:]
    slow = Call("work", seconds=SLOW_S)
    script[rank][:] = before + [
        each for call in after for each in ([call, slow] if call.op == "step" else [call])
    ]


def _throttle(script: Script, rank: int, at: int) -> None:
    peer = next(call.peer for call in script[rank][at:] if call.op == "send")
    script[rank].insert(at, Call("throttle", peer=peer, bytes_per_second=THROTTLED))


def _come_first(script: Script, rank: int, at: int) -> None:
    """Delays the other ranks until this rank has made its calls and waits."""
    for other, calls in enumerate(script):
        if other != rank:
            calls.insert(at, Call("work", seconds=_HEAD_START_S))


def _share_memory(script: Script, rank: int, at: int) -> None:
    for place in (at, at + 1):
        _change(buffer="shared")(script, rank, place)
    _come_first(script, rank, at)


def _stop_inside(script: Script, rank: int, at: int) -> None:
    script[rank].insert(at + 1, Call("stop"))
    _come_first(script, rank, at)


def _abort(script: Script, rank: int, at: int) -> None:
    call = script[rank][at]
    script[rank][at:] = [replace(call, later=True), Call("abort", call.group), Call("idle")]
    for other, calls in enumerate(script):
        if other != rank:
            calls.insert(at, Call("work", seconds=DELAY_S))


def _train_alone(script: Script, rank: int, at: int) -> None:
    """Gives the model of each rank a group of one member. The program does so on all ranks."""
    del rank, at
    for each, calls in enumerate(script):
        calls[0] = replace(calls[0], group=f"alone/{each}", members=(each,))


def _leave(op: str) -> Callable[[Script, int, int], None]:
    def plant(script: Script, rank: int, at: int) -> None:
        script[rank][at:] = [Call(op)]

    return plant


def _starts_two(calls: list[Call], at: int) -> bool:
    return calls[at].later and calls[at].is_collective and calls[at + 1].later


def _later_sum(calls: list[Call], at: int) -> bool:
    return calls[at].later and calls[at].op == "all_reduce"


def _done_in_wait(calls: list[Call], at: int) -> bool:
    """Matches an operation that Gloo begins only when its caller waits."""
    return calls[at].op == "reduce_scatter_tensor"


def _exchange(op: str) -> Callable[[list[Call], int], bool]:
    return lambda calls, at: calls[at].op == op and not calls[at].later


def _exchange_begins(calls: list[Call], at: int) -> bool:
    return at + 1 < len(calls) and all(
        call.op in ("send", "recv") and not call.later for call in calls[at : at + 2]
    )


def _both_receive_first(calls: list[Call], at: int) -> bool:
    """Matches an exchange in which, once swapped, both ranks receive first.

    NCCL sends small messages before they are received, so two sends would not block.
    """
    return _exchange_begins(calls, at) and calls[at].op == "send"


def _step(calls: list[Call], at: int) -> bool:
    return calls[at].op == "step" and 5 <= calls[at].numel <= 15


def _first_step(calls: list[Call], at: int) -> bool:
    return calls[at].op == "step" and calls[at].numel == 1


_ANOTHER = ("op_mismatch", "order_mismatch")
_ABSENT = ("never_joined",)
_GONE = ("left_early",)
_UNPAIRED = ("p2p_unpaired", "deadlock")
_APART = ("deadlock", *_ANOTHER, *_ABSENT)
_EVERYBODY = 1 << 16
_GLOO, _NCCL = ("gloo",), ("nccl",)

_MISSING_SEND = Fault(
    "missing_send",
    _UNPAIRED,
    _exchange("send"),
    _missing,
    "pair",
    False,
    _EVERYBODY,
    on_device=_ABSENT,
)

_ALL = (
    Fault(
        "delay",
        ("late",),
        _of_world,
        _insert(Call("work", seconds=DELAY_S)),
        "alone",
        witnesses=MOST,
    ),
    Fault("extra_op", _ANOTHER, _plain, _extra),
    Fault("missing_op", _ANOTHER, _followed_by_another, _missing),
    Fault("wrong_op", _ANOTHER, _plain, _change(op="all_gather")),
    Fault("order_swap", ("order_mismatch", "op_mismatch"), _two_in_a_row(True), _swap),
    Fault(
        "group_swap",
        ("deadlock", "order_mismatch"),
        _two_in_a_row(False),
        _swap,
        shows=False,
        on_device=("hung_in",),
    ),
    Fault("size", ("size_mismatch",), _plain, _larger),
    Fault("dtype", ("dtype_mismatch",), _plain, _change(dtype="int32")),
    Fault("reduce_op", ("reduce_op_mismatch",), _plain, _change(reduce_op="MAX")),
    Fault("root", ("root_mismatch",), _one_of("broadcast", "reduce"), _other_root),
    Fault("splits", ("split_mismatch",), _one_of("all_to_all_single"), _other_splits),
    Fault(
        "unpaired_recv",
        _UNPAIRED,
        _exchange("recv"),
        _receive_nothing,
        "pair",
        False,
        _EVERYBODY,
        on_device=_ABSENT,
    ),
    _MISSING_SEND,
    Fault(
        "swapped_order",
        _UNPAIRED[::-1],
        _exchange_begins,
        _swap,
        "pair",
        False,
        _EVERYBODY,
        fits_device=_both_receive_first,
    ),
    Fault(
        "swapped_tag",
        _UNPAIRED,
        _exchange("send"),
        _change(tag=7),
        "pair",
        False,
        _EVERYBODY,
        over=_GLOO,
    ),
    Fault(
        "swapped_peer",
        _UNPAIRED,
        _exchange("send"),
        _other_peer,
        "trio",
        False,
        _EVERYBODY,
        from_world=4,
    ),
    Fault("early_exit", _GONE, _plain, _leave("exit"), "alone", witnesses=1, on_device=_ABSENT),
    Fault("killed", (*_GONE, *_ABSENT), _plain, _leave("kill"), "alone", witnesses=1),
    Fault("stopped", _ABSENT, _plain, _leave("stop"), "alone", witnesses=1),
    Fault("stuck", _ABSENT, _plain, _leave("idle"), "alone", witnesses=1),
    Fault(
        "stopped_inside", ("hung_in",), _later_sum, _stop_inside, "members", witnesses=_EVERYBODY
    ),
    Fault(
        "slow",
        ("straggler",),
        _step,
        _slow_from,
        "alone",
        False,
        MOST,
        program=training,
        steps=50,
    ),
    Fault(
        "slow_link",
        ("slow_peer",),
        _first_step,
        _throttle,
        "next",
        False,
        _EVERYBODY,
        program=exchange,
        steps=24,
        from_world=4,
    ),
    Fault("pair_skip", _APART, _of_pair, _missing, "members", False, _EVERYBODY, grid, 4),
    Fault("pair_extra", _APART, _of_pair, _twice, "members", False, _EVERYBODY, grid, 4),
    Fault("pair_swap", _APART, _before_barrier, _swap, "members", False, _EVERYBODY, grid, 4),
    replace(_MISSING_SEND, name="stage_skips_send", program=pipeline, steps=4),
    Fault(
        "stage_skips_recv",
        _UNPAIRED,
        _exchange("recv"),
        _missing,
        "pair",
        False,
        _EVERYBODY,
        pipeline,
        4,
        on_device=_ABSENT,
    ),
    Fault(
        "overlap",
        ("buffer_overlap",),
        _starts_two,
        _share_memory,
        "alone",
        witnesses=0,
        over=_GLOO,
    ),
    Fault(
        "unwaited",
        ("never_waited",),
        _done_in_wait,
        _change(dropped=True),
        "alone",
        witnesses=0,
        over=_GLOO,
    ),
    Fault(
        "unsynchronised",
        ("unsynchronised_gradients",),
        _first_step,
        _train_alone,
        "members",
        False,
        _EVERYBODY,
        program=replicas,
        steps=10,
        over=_GLOO,
    ),
    Fault("refused", ("failed",), _plain, _insert(Call("refuse")), "alone", over=_NCCL),
    Fault(
        "broken_communicator",
        ("failed",),
        _plain,
        _insert(Call("fail")),
        "members",
        over=_NCCL,
        is_noticed=True,
    ),
    Fault(
        "broken_device",
        ("failed", "process_failed", *_GONE, *_ABSENT),
        _plain,
        _insert(Call("break")),
        "alone",
        over=_NCCL,
        is_noticed=True,
    ),
    Fault("abort", ("aborted", *_ABSENT), _plain, _abort, "members", shows=False, over=_NCCL),
)

FAULTS = {fault.name: fault for fault in _ALL}


def faults_of(engine: Engine) -> list[str]:
    """Returns the names of the faults that are possible on an engine."""
    which = "nccl" if engine.is_nccl else "gloo"
    return [fault.name for fault in _ALL if which in fault.over]
