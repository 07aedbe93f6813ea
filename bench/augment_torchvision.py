"""augment_torchvision.py - jensen.augment beside torchvision's transforms v2 and Pillow: the strong policy of the paper
on 32x32 images, and colour jitter of 500x375 ones. Needs the package, PyTorch, torchvision and Pillow.

Images a second of a core: processor time, the median of rounds taken in turn, so a busy machine does little harm. Then by
the clock on two cores: two threads of jensen, two workers of a DataLoader."""
import functools
import statistics
import time

import numpy as np
import torch
from torchvision.transforms import v2

import jensen
from augment_pillow import jitter, large_image, mean, small_images, std, strong

ROUNDS = 5


class Cutout(torch.nn.Module):
    """Of the paper's code: a square of 16 pixels around a random place, set to the mean."""

    def forward(self, image):
        y, x = torch.randint(0, 32, (2,)).tolist()
        image[:, max(0, y - 8):y + 8, max(0, x - 8):x + 8] = 0
        return image


to_float = [v2.ToDtype(torch.float32, scale=True), v2.Normalize(mean.tolist(), std.tolist())]
vision = {
    "strong": v2.Compose([v2.RandAugment(num_ops=1, magnitude=3), v2.RandomCrop(32, padding=4), v2.RandomHorizontalFlip(),
                          *to_float, Cutout()]),
    "jitter": v2.Compose([v2.RandomResizedCrop(224, antialias=True), v2.RandomHorizontalFlip(),
                          v2.ColorJitter(0.4, 0.4, 0.4, 0.2), *to_float]),
}


class Images(torch.utils.data.Dataset):
    def __init__(self, images, transform):
        self.images, self.transform = images, transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.transform(self.images[index])


def each(transform, images):
    for image in images:
        transform(image)


def loaded(images, transform):
    for _ in torch.utils.data.DataLoader(Images(images, transform), batch_size=len(images) // 4, num_workers=2):
        pass


def measured(steps, clock, images):
    """By name: images a second, the median of rounds in turn."""
    rates = {name: [] for name in steps}
    for _ in range(ROUNDS):
        for name, (step, repeats) in steps.items():
            start = clock()
            for _ in range(repeats):
                step()
            rates[name].append(images * repeats / (clock() - start))
    return {name: statistics.median(found) for name, found in rates.items()}


def report(what, rates):
    own = rates.pop("jensen")
    print(f"{what}: jensen {own:.0f}; " + ", ".join(f"{name} {rate:.0f} (x{own / rate:.1f})" for name, rate in rates.items()))


def compare(name, spec, pillow, arrays, pictures, repeats, **options):
    tensors = [torch.from_numpy(np.ascontiguousarray(a.transpose(2, 0, 1))) for a in arrays]
    batch = np.stack(arrays)
    augment = functools.partial(jensen.augment(spec, mean=mean, std=std, threads=2, **options), batch, index=range(len(batch)))
    augment()
    report(f"{name}, images/s of a core", measured(
        {"jensen": (augment, repeats), "torchvision v2": (lambda: each(vision[spec], tensors), 1),
         "Pillow": (lambda: each(pillow, pictures), 1)}, time.process_time, len(batch)))
    report(f"{name}, images/s by the clock, two cores", measured(
        {"jensen": (augment, repeats), "torchvision v2": (lambda: loaded(tensors, vision[spec]), 1),
         "Pillow": (lambda: loaded(pictures, pillow), 1)}, time.perf_counter, len(batch)))


if __name__ == "__main__":
    torch.set_num_threads(1)
    small, large = list(small_images(2000)), large_image()
    compare("strong, 32x32", "strong", strong, small, small, 20)
    compare("jitter, 500x375 to 224", "jitter", jitter, [np.asarray(large)] * 48, [large] * 48, 1, size=224)
