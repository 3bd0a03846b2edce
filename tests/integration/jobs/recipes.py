"""Ranks that log their metrics with real libraries, by the examples of docs/use/metrics.md."""

from __future__ import annotations

import os
from typing import Any

import torch
import torch.distributed as dist
import traced
from documented import block_with
from patience import until
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

from jobs.joining import joined

_PAGE = "use/metrics.md"
_STEPS = 30


class _Training:
    """Runs steps of one operation each; every tenth waits until its operation is counted."""

    def __init__(self) -> None:
        self._steps = 0

    def __call__(self, batch: torch.Tensor) -> None:
        dist.all_reduce(batch)
        self._steps += 1
        if self._steps % 10 == 0:
            until(lambda: traced.metrics()["traced_rank_operations_total"] == self._steps)


def _run(word: str, **names: Any) -> dict[str, Any]:
    """Runs the page's block with this word; returns its definitions."""
    defined = {"dist": dist, "traced": traced, **names}
    exec(block_with(_PAGE, "python", word), defined)
    return defined


def loops(word: str) -> None:
    """Runs a loop of the page over steps of one operation each."""
    with joined():
        _run(word, batches=torch.ones(_STEPS, 3), train=_Training())


class _Module(nn.Module):
    """Trains a trivial model; its fifth step waits until operations are counted."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self._steps = 0

    def forward(self, x: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        self._steps += 1
        if self._steps == 5:
            until(lambda: traced.metrics()["traced_rank_operations_total"] > 0)
        y = self.layer(x)
        return {"loss": nn.functional.mse_loss(y, labels), "logits": y}


class _Items(Dataset[dict[str, torch.Tensor]]):
    """Provides a Dataset for Hugging Face's Trainer."""

    def __len__(self) -> int:
        return 2 * _STEPS

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        return {"x": torch.ones(4), "labels": torch.ones(1)}


def lightning_trainer() -> None:
    """Trains with Lightning's DDP."""
    import lightning
    from lightning.pytorch.loggers import CSVLogger
    from lightning.pytorch.plugins.environments import TorchElasticEnvironment
    from lightning.pytorch.strategies import DDPStrategy

    class Learner(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.module = _Module()

        def training_step(self, batch: list[torch.Tensor]) -> torch.Tensor:
            return self.module(*batch)["loss"]

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.SGD(self.parameters(), lr=0.01)

    callback = _run("lightning.Callback")["TracedMetrics"]()
    # One device on each of several nodes, with an existing group.
    os.environ |= {"GROUP_RANK": os.environ["RANK"], "LOCAL_RANK": "0"}
    with joined():
        items = TensorDataset(torch.ones(2 * _STEPS, 4), torch.ones(2 * _STEPS, 1))
        trainer = lightning.Trainer(
            accelerator="cpu",
            devices=1,
            num_nodes=dist.get_world_size(),
            strategy=DDPStrategy(cluster_environment=TorchElasticEnvironment()),
            callbacks=[callback],
            logger=CSVLogger("."),
            log_every_n_steps=10,
            max_epochs=1,
            enable_progress_bar=False,
            enable_checkpointing=False,
            enable_model_summary=False,
        )
        trainer.fit(Learner(), DataLoader(items))


def hugging_face_trainer() -> list[dict[str, float]]:
    """Trains with Hugging Face's Trainer; returns its history."""
    from transformers import TrainingArguments

    trainer_class = _run("transformers.Trainer")["Trainer"]
    os.environ |= {"LOCAL_RANK": os.environ["RANK"], "MASTER_ADDR": "localhost"}
    with joined():
        trainer = trainer_class(
            model=_Module(),
            args=TrainingArguments(
                output_dir="out",
                use_cpu=True,
                per_device_train_batch_size=1,
                num_train_epochs=1,
                logging_steps=10,
                report_to="tensorboard",
                save_strategy="no",
                disable_tqdm=True,
            ),
            train_dataset=_Items(),
        )
        trainer.train()
        return trainer.state.log_history
