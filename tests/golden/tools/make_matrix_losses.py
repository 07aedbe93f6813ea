#!/usr/bin/env python3
"""make_matrix_losses.py - golden values of forward and backward correction by a matrix.

Reads the inputs of losses.safetensors, writes matrix_losses.safetensors beside them:
LOSS/MATRIX/INPUTS/loss (F64 [B], per sample) and .../grad1 (F64 [B,K], derivative of the batch
mean), with 220 digits, differentiated by reverse mode as in make_robust_losses.py. The matrices
are made by rule() here and in tests/loss/test_loss_matrix.c, to the same bits. Needs mpmath and
NumPy.
"""
import os
import sys

from mpmath import matrix, mp, mpf, lu_solve

from make_robust_losses import (ALL, GOLDEN, SAMPLES, evaluate, log, read_safetensors, total,
                                write_safetensors)


def rule(kind, k):
    """dense: whole numbers over their sum, rounded; next: some of each class go to the next."""
    rows = []
    for i in range(k):
        if kind == "next":
            away = (10 + i % 7) / 32
            row = [0.0] * k
            row[i] = 1 - away
            row[(i + 1) % k] = away
        else:
            weights = [(7 * i + 13 * j + i * j) % 11 + (9 * k if i == j else 0) for j in range(k)]
            row = [w / sum(weights) for w in weights]
        rows.append(row)
    return rows


def inverse_row(kind, rows, y):
    """Row y of the inverse: x with x T = e_y."""
    k = len(rows)
    if kind == "dense":
        t = matrix(k, k)
        for i in range(k):
            for j in range(k):
                t[j, i] = mpf(rows[i][j])
        right = matrix(k, 1)
        right[y] = 1
        x = lu_solve(t, right)
        return [x[i] for i in range(k)]
    # Column j has two entries: x_j (1 - a_j) + x_{j-1} a_{j-1} = [j = y]. From a guess of x_{y-1}
    # around the circle; what comes back is linear in it.
    stay = [mpf(rows[i][i]) for i in range(k)]
    away = [mpf(rows[i][(i + 1) % k]) for i in range(k)]

    def around(guess):
        x = [mpf(0)] * k
        last = guess
        for step in range(k):
            j = (y + step) % k
            last = x[j] = ((1 if j == y else 0) - last * away[(j - 1) % k]) / stay[j]
        return x

    zero, one = around(mpf(0))[(y - 1) % k], around(mpf(1))[(y - 1) % k]
    return around(zero / (1 - (one - zero)))


def main():
    inputs = read_safetensors(os.path.join(GOLDEN, "losses.safetensors"))
    tensors = {}
    for name in ALL:
        z = inputs[f"inputs/{name}/logits1"]
        k = z.shape[1]
        n = SAMPLES[k]
        labels = inputs[f"inputs/{name}/labels"][:n]
        for kind in ("dense", "next"):
            rows = rule(kind, k)

            def forward(s):
                return -log(total([mpf(rows[i][s.y]) * s.p[i] for i in range(k) if rows[i][s.y]]))

            def backward(s):
                x = inverse_row(kind, rows, s.y)
                return total([-x[i] * s.l[i] for i in range(k)])

            for loss, fn in (("forward", forward), ("backward", backward)):
                if (loss, kind, k) == ("backward", "dense", 1000):
                    continue  # an inverse with 220 digits takes hours
                values, grads = evaluate(fn, [z[:n]], labels, 1)
                tensors[f"{loss}/{kind}/{name}/loss"] = values
                tensors[f"{loss}/{kind}/{name}/grad1"] = grads[0]
            print(name, kind, file=sys.stderr)
    write_safetensors(os.path.join(GOLDEN, "matrix_losses.safetensors"), tensors)


if __name__ == "__main__":
    main()
