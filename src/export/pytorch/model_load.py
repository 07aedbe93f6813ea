

class Part(nn.Module):
    """A group of layers; those with numbers are reached as part[0]."""

    def __getitem__(self, number):
        return getattr(self, str(number))


def put(module, name, layer):
    """Adds a layer below a name with dots, which the weights have, too."""
    *parts, last = name.split(".")
    for part in parts:
        if part not in module._modules:
            module.add_module(part, Part())
        module = module._modules[part]
    module.add_module(last, layer)


class Ensemble(nn.Module):
    """The logarithm of the mean of the members' probabilities."""

    def __init__(self, members):
        super().__init__()
        self.members = nn.ModuleList(members)

    def forward(self, batch):
        shares = torch.stack([member(batch).log_softmax(1) for member in self.members])
        return shares.logsumexp(0) - math.log(len(self.members))


def read_weights(path):
    """The tensors of a safetensors file by their names."""
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = bytearray(file.read())
    tensors = {}
    for name, row in header.items():
        if name != "__metadata__":
            begin, end = row["data_offsets"]
            flat = torch.frombuffer(data, dtype=torch.float32, count=(end - begin) // 4, offset=begin)
            tensors[name] = flat.reshape(row["shape"])
    return tensors


def load_network(path):
    network = Network()
    missing, unknown = network.load_state_dict(read_weights(path), strict=False)
    missing = [name for name in missing if not name.endswith("num_batches_tracked")]
    if missing or unknown:
        raise ValueError(f"{path}: other weights than the network's: {', '.join(missing + unknown)}")
    return network


def load(folder=None):
    """The model with its weights, for evaluation; they lie in `folder`, else beside this file."""
    folder = folder or os.path.dirname(os.path.abspath(__file__))
    networks = [load_network(os.path.join(folder, name)) for name in WEIGHTS]
    model = networks[0] if len(networks) == 1 else Ensemble(networks)
    model.classes = CLASSES
    model.transform = globals().get("transform")
    return model.eval()
