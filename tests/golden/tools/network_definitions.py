"""The networks written out in PyTorch, under the names of their published state_dicts.

Used by make_network.py.
"""
import torch.nn as nn
import torch.nn.functional as F


class PreActBlock(nn.Module):
    def __init__(self, cin, cout, stride):
        super().__init__()
        self.bn1 = nn.BatchNorm2d(cin)
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        if stride != 1 or cin != cout:
            self.shortcut = nn.Sequential(nn.Conv2d(cin, cout, 1, stride, bias=False))

    def forward(self, x):
        a = F.relu(self.bn1(x))
        skip = self.shortcut(a) if hasattr(self, "shortcut") else x
        return self.conv2(F.relu(self.bn2(self.conv1(a)))) + skip


class PreActResNet34(nn.Module):
    def __init__(self, K):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 32, 3, 1, 1, bias=False)
        cin = 32
        for i, c in enumerate((32, 64, 128)):
            blocks = []
            for j in range(5):
                blocks.append(PreActBlock(cin, c, 2 if i and j == 0 else 1))
                cin = c
            setattr(self, f"layer{i + 1}", nn.Sequential(*blocks))
        self.linear = nn.Linear(128, K)
        self.bn = nn.BatchNorm2d(128)

    def forward(self, x):
        x = self.layer3(self.layer2(self.layer1(self.conv1(x))))
        x = F.avg_pool2d(F.relu(self.bn(x)), 8)
        return self.linear(x.flatten(1))


class Bottleneck(nn.Module):
    def __init__(self, cin, width, stride):
        super().__init__()
        cout = 4 * width
        self.conv1 = nn.Conv2d(cin, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, cout, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(cout)
        self.downsample = None
        if stride != 1 or cin != cout:
            self.downsample = nn.Sequential(nn.Conv2d(cin, cout, 1, stride, bias=False), nn.BatchNorm2d(cout))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = F.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        return F.relu(y + (x if self.downsample is None else self.downsample(x)))


class ResNet50(nn.Module):
    def __init__(self, K):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        cin = 64
        for i, (w, n) in enumerate(((64, 3), (128, 4), (256, 6), (512, 3))):
            blocks = []
            for j in range(n):
                blocks.append(Bottleneck(cin, w, 2 if i and j == 0 else 1))
                cin = 4 * w
            setattr(self, f"layer{i + 1}", nn.Sequential(*blocks))
        self.fc = nn.Linear(2048, K)

    def forward(self, x):
        x = self.maxpool(F.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(x.mean((2, 3)))


class VGG19BN(nn.Module):
    """Dropout of the classifier is left out (identity); indices are kept."""

    def __init__(self, K):
        super().__init__()
        mods, cin = [], 3
        for c, n in ((64, 2), (128, 2), (256, 4), (512, 4), (512, 4)):
            for _ in range(n):
                mods += [nn.Conv2d(cin, c, 3, 1, 1), nn.BatchNorm2d(c), nn.ReLU()]
                cin = c
            mods.append(nn.MaxPool2d(2, 2))
        self.features = nn.Sequential(*mods)
        self.avgpool = nn.AdaptiveAvgPool2d((7, 7))
        self.classifier = nn.Sequential(nn.Linear(512 * 49, 4096), nn.ReLU(), nn.Identity(),
                                        nn.Linear(4096, 4096), nn.ReLU(), nn.Identity(), nn.Linear(4096, K))

    def forward(self, x):
        return self.classifier(self.avgpool(self.features(x)).flatten(1))
