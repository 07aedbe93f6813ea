

def resizing_matrix(pixels, outputs, first, kept):
    """Rows `first` to `first + kept` of the matrix that resizes `pixels` to `outputs`, in whole numbers of 2^-22."""
    scale = pixels / outputs
    centre = (first + torch.arange(kept, dtype=torch.float64) + 0.5) * scale
    t = (torch.arange(pixels, dtype=torch.float64) - centre[:, None] + 0.5).mul(1.0 / max(scale, 1.0)).abs()
    if FILTER == "bicubic":
        near, far = ((1.5 * t - 2.5) * t) * t + 1.0, (((t - 5.0) * t + 8.0) * t - 4.0) * -0.5
        kernel = torch.where(t < 1.0, near, torch.where(t < 2.0, far, torch.zeros_like(t)))
    else:
        kernel = (1.0 - t).clamp(min=0.0)
    share = kernel / kernel.sum(1, keepdim=True) * 2.0**22
    return share.sign() * (share.abs() + 0.5).floor()


def whole_bytes(sums):
    return (sums / 2.0**22 + 0.5).floor().clamp(0.0, 255.0)


def resized_side(pixels, other):
    """(pixels after resizing, the first that is kept) of a side, beside the other side."""
    if LENGTH is None:  # a square is resized
        return SIZE, 0
    longer = LENGTH * pixels / other + (0.5 if NEAREST else 0.0)
    outputs = LENGTH if pixels <= other else math.floor(longer)
    return outputs, round((outputs - SIZE) / 2)


def bytes_of(image, mode, dtype=torch.uint8):
    """(channels, height, width) of an image of Pillow in some mode."""
    flat = torch.frombuffer(bytearray(image.convert(mode).tobytes()), dtype=dtype)
    return flat.reshape(image.height, image.width, -1).permute(2, 0, 1)


def as_pixels(image):
    """uint8 (3, height, width) of an image of Pillow, or of an array or tensor (height, width, 3)."""
    if hasattr(image, "getexif"):
        from PIL import ImageOps  # whoever has such an image has Pillow

        deep = image.mode.startswith("I;16") or image.mode == "I" and image.format == "PNG"
        clear = image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info
        image = ImageOps.exif_transpose(image)
        if deep:  # 16 bits, of which Pillow would keep 0 to 255
            grey = (bytes_of(image, "I", torch.int32).clamp(0, 65535).to(torch.int64) * 255 + 32895) >> 16
            return grey.to(torch.uint8).expand(3, -1, -1)
        if clear:  # laid over white
            *colours, alpha = bytes_of(image, "RGBA").to(torch.int32)
            return ((torch.stack(colours) * alpha + 255 * (255 - alpha) + 127) // 255).to(torch.uint8)
        return bytes_of(image, "RGB")
    return torch.as_tensor(image, dtype=torch.uint8).permute(2, 0, 1)


def transform(image):
    """What the network reads of an image: float (3, SIZE, SIZE), with the bytes that Pillow's resizing has."""
    planes = as_pixels(image)
    height, width = planes.shape[1:]
    if LENGTH is None:
        side = min(height, width)
        top, left = (height - side) // 2, (width - side) // 2
        planes = planes[:, top:top + side, left:left + side]
        height = width = side
    across = resizing_matrix(width, *resized_side(width, height), SIZE)
    down = resizing_matrix(height, *resized_side(height, width), SIZE)
    columns = whole_bytes(planes.to(torch.float64) @ across.T)
    unit = whole_bytes(down @ columns).to(torch.float32) / 255.0
    return (unit - torch.tensor(MEAN)[:, None, None]) / torch.tensor(DEVIATION)[:, None, None]
