"""Two processes with gloo: the mean of their gradients is that of the whole batch."""
import os
import socket

import pytest

torch = pytest.importorskip("torch")
import torch.distributed as dist
import torch.multiprocessing as mp

from jensen.torch import GJS


def make():
    torch.manual_seed(0)
    return torch.nn.Linear(6, 4), torch.randn(2, 8, 6), torch.randint(0, 4, (8,))


def work(rank, port, result):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=2)
    layer, images, labels = make()
    model = torch.nn.parallel.DistributedDataParallel(layer)
    part = slice(4 * rank, 4 * rank + 4)
    GJS()(model(images[:, part]), labels[part]).backward()
    if rank == 0:
        torch.save(layer.weight.grad, result)
    dist.barrier()
    os._exit(0)  # at an orderly end PyTorch's own threads abort now and then, without jensen, too


@pytest.mark.skipif(not dist.is_available(), reason="PyTorch without torch.distributed")
def test_two_processes(tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    result = str(tmp_path / "gradient")
    mp.spawn(work, args=(port, result), nprocs=2)
    layer, images, labels = make()
    GJS()(layer(images), labels).backward()
    assert torch.allclose(torch.load(result), layer.weight.grad, atol=1e-6)
