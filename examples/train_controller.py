"""Train a congestion controller on one processor in minutes: ``python examples/train_controller.py OUT.json``.

Proximal policy optimization (Schulman et al. 2017) of Stable-Baselines3 trains a small neural network on the networks
of the set `train`. It does so three times, and keeps the result with the best score on these networks. The file can be
used without Stable-Baselines3: ``ackclock controllers OUT.json``. `docs/guide/train_a_controller.md` discusses it.
"""

import argparse
import time

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env

import ackclock.gym

SCHEME = "power"
HIDDEN = (64, 64)
NETWORKS = 40


def train(steps, *, seed=1):
    """Train for a number of steps, and return the policy."""
    torch.set_num_threads(1)  # the same result on any number of processors
    networks = ackclock.gym.networks_of("train", NETWORKS)
    env = make_vec_env("Ackclock/Dumbbell-v0", n_envs=8, seed=seed, env_kwargs={"networks": networks, "scheme": SCHEME})
    model = PPO(
        "MlpPolicy",
        env,
        n_steps=512,
        batch_size=512,
        gamma=0.95,  # a step is a round trip: the rewards of the next 20 or so count
        policy_kwargs={"net_arch": list(HIDDEN)},
        seed=seed,
        device="cpu",
    )
    return policy_of(model.learn(steps))


def policy_of(model):
    """Return the mean action of a model as a policy that needs no Stable-Baselines3."""
    layers = [layer for layer in model.policy.mlp_extractor.policy_net if isinstance(layer, torch.nn.Linear)]
    parameters = [
        values.detach().numpy().ravel()
        for layer in [*layers, model.policy.action_net]
        for values in (layer.weight.T, layer.bias)
    ]
    return ackclock.gym.Policy(SCHEME, np.concatenate(parameters), hidden=HIDDEN)


def main():
    """Train, and write the policy to a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", metavar="OUT.json", help="file of the policy")
    parser.add_argument(
        "--seeds", type=int, default=3, help="number of trainings, of which the best is kept (default: 3)"
    )
    parser.add_argument("--steps", type=int, default=1_000_000, help="number of steps (default: 1,000,000)")
    options = parser.parse_args()
    begun = time.process_time()
    networks = ackclock.gym.networks_of("train", NETWORKS)
    trained = [train(options.steps, seed=seed) for seed in range(1, 1 + options.seeds)]
    scores = [ackclock.gym.score_policy(policy, networks).mean() for policy in trained]
    print("scores on the networks for training:", *(f"{score:.3f}" for score in scores))
    trained[int(np.argmax(scores))].save(options.out)
    print(f"{options.out} written after {(time.process_time() - begun) / 60:.1f} minutes of CPU time")


if __name__ == "__main__":
    main()
