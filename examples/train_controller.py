"""Train a congestion controller on one machine in minutes: ``python examples/train_controller.py OUT.json``.

The policy is a small neural network. It learns by an evolution strategy (Salimans, Ho, Chen, Sidor and Sutskever
2017): each generation tries random changes of its parameters in pairs of opposite sign, and moves the parameters
towards the changes with more reward. NumPy suffices for this. `docs/guide/train_a_controller.md` discusses the result.
"""

import argparse
import functools
import multiprocessing
import time

import gymnasium
import numpy as np

import ackclock.gym

SCHEME = "power"
HIDDEN = (16,)
SEED = 1
NETWORKS = 40
DURATION = "10 s"


@functools.cache  # each process has its own environment
def environment():
    """Make the environment."""
    return gymnasium.make("Ackclock/Dumbbell-v0", scheme=SCHEME, duration=DURATION, disable_env_checker=True)


def reward(parameters, networks, seed):
    """Return the mean reward per step with these parameters, averaged over the networks."""
    env, policy = environment(), ackclock.gym.Policy(SCHEME, parameters, hidden=HIDDEN)
    means = []
    for place, network in enumerate(networks):
        observation, _ = env.reset(seed=seed + place, options={"network": network})
        total, steps, is_over = 0.0, 0, False
        while not is_over:
            observation, of_step, _, is_over, _ = env.step([policy(observation)])
            total, steps = total + of_step, steps + 1
        means.append(total / steps)
    return np.mean(means)


def train(generations, *, pairs=24, batch=8, noise=0.1, rate=0.05, jobs=None):
    """Train on the networks of the set `train`, and return the policy."""
    generator = np.random.default_rng(SEED)
    networks = ackclock.gym.networks_of("train", NETWORKS, duration=DURATION)
    size = ackclock.gym.Policy.size(SCHEME, hidden=HIDDEN)
    parameters = generator.normal(0, 0.1, size)
    mean, square = np.zeros(size), np.zeros(size)  # Adam's moments
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for generation in range(1, generations + 1):
            chosen = [networks[place] for place in generator.choice(len(networks), batch, replace=False)]
            changes = noise * generator.normal(size=(pairs, size))
            tried = np.concatenate([parameters + changes, parameters - changes])
            rewards = np.array(pool.starmap(reward, [(each, chosen, 1000 * generation) for each in tried]))
            ranks = rewards.argsort().argsort() / (2 * pairs - 1) - 0.5  # robust to outliers
            gradient = (ranks[:pairs] - ranks[pairs:]) @ changes / (pairs * noise**2)
            mean, square = 0.9 * mean + 0.1 * gradient, 0.99 * square + 0.01 * gradient**2
            step = (mean / (1 - 0.9**generation)) / (np.sqrt(square / (1 - 0.99**generation)) + 1e-8)
            parameters += rate * (1 - (generation - 1) / generations) * step
            print(f"generation {generation}: mean reward {rewards.mean():.3f}, best {rewards.max():.3f}", flush=True)
    return ackclock.gym.Policy(SCHEME, parameters, hidden=HIDDEN)


def main():
    """Train, and write the policy to a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", metavar="OUT.json", help="file of the policy")
    parser.add_argument("--generations", type=int, default=300)
    parser.add_argument("--jobs", type=int, help="number of processes (default: one per CPU core)")
    options = parser.parse_args()
    begun = time.time()
    train(options.generations, jobs=options.jobs).save(options.out)
    print(f"{options.out} written after {(time.time() - begun) / 60:.1f} min")


if __name__ == "__main__":
    main()
