"""optuna_opens_studies.py JENSEN WORK - Optuna loads a study that jensen made and worked
off: trials, parameters, values, states, steps; jensen works off what Optuna enqueues."""
import json
import math
import os
import shutil
import subprocess
import sys

import optuna

jensen, work = sys.argv[1], sys.argv[2]
os.chdir(work)
optuna.logging.set_verbosity(optuna.logging.WARNING)


def run(*words, code=0):
    done = subprocess.run([jensen, *words], capture_output=True, text=True)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout


run("sweep", "create", "s", "builtin:size=200", "--network", "mlp:width=16", "--batch", "16",
    "--epochs", "2", "--axis", "lr=0.01,0.05", "--axis", "loss=ce;sce:alpha=0.1,beta=1",
    "--search", "grid")
run("sweep", "create", "r", "builtin:size=200", "--network", "mlp:width=16", "--epochs", "1",
    "--search", "random", "--trials", "3", "--axis", "lr=log:0.001..0.1", "--axis",
    "batch=8..32")
run("sweep", "run", "s", "-q", "--threads", "1")
# The first Optuna to open a store marks it as its own version's; each gets its own copy.
shutil.copy("jensen.db", "before.db")

url = "sqlite:///jensen.db"
study = optuna.load_study(study_name="s", storage=url)
assert study.direction == optuna.study.StudyDirection.MAXIMIZE
trials = study.trials
assert len(trials) == 4
expected = [{"lr": lr, "loss": loss} for lr in (0.01, 0.05)
            for loss in ("ce", "sce:alpha=0.1,beta=1")]
for number, trial in enumerate(trials):
    assert trial.number == number
    assert trial.state == optuna.trial.TrialState.COMPLETE
    assert trial.params == expected[number], trial.params
    result = json.load(open(os.path.join(trial.user_attrs["run"], "result.json")))
    assert trial.value == result["test_acc"], (trial.value, result["test_acc"])
    assert trial.user_attrs["weights_sha256"] == result["weights_sha256"]
    rows = [json.loads(line) for line in
            open(os.path.join(trial.user_attrs["run"], "metrics.jsonl"))]
    assert trial.intermediate_values == {r["epoch"]: r["test_acc"] for r in rows}
    assert trial.duration.total_seconds() > 0
best = json.loads(run("sweep", "best", "s", "--json"))
assert best["value"] == study.best_value and best["trial"] == study.best_trial.number

random = optuna.load_study(study_name="r", storage=url)
for trial in random.trials:
    assert trial.state == optuna.trial.TrialState.WAITING
    assert 0.001 <= trial.params["lr"] <= 0.1 and 8 <= trial.params["batch"] <= 32
    assert isinstance(trial.distributions["lr"], optuna.distributions.FloatDistribution)
    assert trial.distributions["lr"].log
    assert isinstance(trial.params["batch"], int)

# Enqueued by Optuna: all parameters, some of them, an impossible one.
study.enqueue_trial({"lr": 0.05, "loss": "ce"})
study.enqueue_trial({"lr": 0.01})
study.enqueue_trial({"lr": 0.02, "loss": "ce"})
run("sweep", "worker", "s", "-q", "--threads", "1")
trials = study.trials
assert trials[4].state == optuna.trial.TrialState.COMPLETE
assert trials[4].params == {"lr": 0.05, "loss": "ce"}
assert trials[4].value == trials[2].value
assert trials[5].state == optuna.trial.TrialState.COMPLETE
assert trials[5].params["lr"] == 0.01 and trials[5].params["loss"] in ("ce", expected[1]["loss"])
assert trials[6].state == optuna.trial.TrialState.FAIL
assert "0.02" in trials[6].user_attrs["failure"]

# Our trials are worked off by Optuna, too, with the parameters we chose.
study.enqueue_trial({"lr": 0.01, "loss": "ce"})


def objective(trial):
    lr = trial.suggest_categorical("lr", [0.01, 0.05])
    trial.suggest_categorical("loss", ["ce", "sce:alpha=0.1,beta=1"])
    return lr


study.optimize(objective, n_trials=1)
assert study.trials[7].value == 0.01
assert not math.isnan(study.best_value)
shutil.move("before.db", "jensen.db")
for suffix in ("-wal", "-shm"):
    if os.path.exists("jensen.db" + suffix):
        os.remove("jensen.db" + suffix)
print("Optuna %s opens our studies: %d trials agree" % (optuna.__version__, len(trials)))
