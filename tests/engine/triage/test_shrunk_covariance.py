"""What is learned linearly: held against scikit-learn and concept-erasure."""

from __future__ import annotations

import numpy as np
import pytest

from engine.triage.workings.shrunk_covariance import ShrunkCovariance, choose_shrinkage

SHAPES = pytest.mark.parametrize(("n", "d"), [(120, 10), (40, 90)], ids=["n > d", "n < d"])


def draw(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    labels = (rng.random((n, 3)) < 0.4).astype(float)
    x = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 3 * labels @ rng.normal(size=(3, d))
    return x, labels


@SHAPES
def test_the_shrinkage_is_that_of_scikit_learn(n: int, d: int) -> None:
    from sklearn.covariance import ledoit_wolf

    x, _ = draw(n, d)
    centred = x - x.mean(axis=0)
    squares = np.linalg.svd(centred, compute_uv=False) ** 2
    assert choose_shrinkage(centred, squares) == pytest.approx(ledoit_wolf(x)[1], rel=1e-9)


@SHAPES
def test_the_spectrum_is_that_of_the_shrunk_covariance(n: int, d: int) -> None:
    from sklearn.covariance import ledoit_wolf

    x, _ = draw(n, d)
    covariance = ShrunkCovariance.of(x)
    sigma = ledoit_wolf(x)[0]
    along = covariance.basis.T @ sigma @ covariance.basis
    assert np.allclose(along, np.diag(covariance.spectrum), atol=1e-8 * covariance.spectrum.max())


@SHAPES
def test_probes_are_ridge_regression_by_generalised_cross_validation(n: int, d: int) -> None:
    from sklearn.linear_model import Ridge

    x, labels = draw(n, d)
    covariance = ShrunkCovariance.of(x)
    centred = x - x.mean(axis=0)
    for k, label in enumerate(labels.T):
        errors, probes = [], []
        for penalty in covariance.penalties:
            ridge = Ridge(alpha=n * penalty, solver="cholesky").fit(x, label)
            hat = centred @ np.linalg.solve(
                centred.T @ centred + n * penalty * np.eye(d), centred.T
            )
            off = ((label - ridge.predict(x)) ** 2).mean()
            errors.append(off / (1 - (1 + np.trace(hat)) / n) ** 2)
            probes.append(ridge.coef_)
        assert np.allclose(
            covariance.fit_probes(labels)[:, k], probes[np.argmin(errors)], atol=1e-6
        )


def test_erasing_is_that_of_concept_erasure() -> None:
    import torch
    from concept_erasure import LeaceFitter

    x, labels = draw(120, 10)
    fitter = LeaceFitter(10, 3, dtype=torch.float64, shrinkage=False, svd_tol=1e-9)
    fitter.constrain_cov_trace = False
    theirs = fitter.update(torch.from_numpy(x), torch.from_numpy(labels)).eraser
    ours = ShrunkCovariance.of(x, shrinkage=0.0).fit_eraser(labels)
    assert np.abs(ours.erase(x) - theirs(torch.from_numpy(x)).numpy()).max() < 1e-6


@SHAPES
def test_erasing_with_a_shrunk_covariance_is_that_of_concept_erasure(n: int, d: int) -> None:
    import torch
    from concept_erasure import LeaceFitter
    from sklearn.covariance import ledoit_wolf

    x, labels = draw(n, d)
    sigma = torch.from_numpy(ledoit_wolf(x)[0])

    class Shrunk(LeaceFitter):
        sigma_xx = property(lambda _: sigma)

    fitter = Shrunk(d, 3, dtype=torch.float64, constrain_cov_trace=False, svd_tol=1e-9)
    theirs = fitter.update(torch.from_numpy(x), torch.from_numpy(labels)).eraser
    ours = ShrunkCovariance.of(x).fit_eraser(labels)
    other = np.random.default_rng(1).normal(size=(7, d))
    assert np.abs(ours.erase(other) - theirs(torch.from_numpy(other)).numpy()).max() < 1e-6


@SHAPES
def test_nothing_linear_is_left_of_what_was_erased(n: int, d: int) -> None:
    x, labels = draw(n, d)
    left = ShrunkCovariance.of(x).fit_eraser(labels).erase(x)
    centred = labels - labels.mean(axis=0)
    assert np.abs(left.T @ centred).max() < 1e-8 * np.abs(x.T @ centred).max()


def test_labels_that_never_change_erase_nothing() -> None:
    x, _ = draw(40, 90)
    assert np.array_equal(ShrunkCovariance.of(x).fit_eraser(np.ones((40, 2))).erase(x), x)
