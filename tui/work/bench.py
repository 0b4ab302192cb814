"""The engine's workbench, shared by all services.

The engine is imported by the thread that first needs it, so that the first paint waits for none
of it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.base.caches import OnceCache
from tui.work.completion import Completer
from tui.work.encoder_load import EncoderLoad
from tui.work.lanes import FailureHook, LaneGroup, Ticket

if TYPE_CHECKING:
    from engine.dataset.dataset import Dataset
    from engine.dataset.examples import Examples
    from engine.dataset.ground_truth import GroundTruth
    from engine.keywords.model_encoders import EncoderStatus
    from engine.keywords.workbench import Workbench
    from engine.metrics import Profile
    from engine.metrics.policies import Policies
    from engine.text.encoder import SentenceEncoder


class OpenModel(NamedTuple):
    """What is there once the files of a model are read.

    takes_texts  False: texts cannot be asked, as nothing encodes them into its space
    """

    truth: GroundTruth
    completer: Completer
    examples: Examples
    takes_texts: bool = True


class Bench:
    """A dataset and its workbench; safe to use from several threads."""

    def __init__(
        self,
        dataset: Dataset,
        encoder: SentenceEncoder | None,
        lanes: LaneGroup,
        policies: Policies | None = None,
    ) -> None:
        """`policies`: those of the run that a command asked for; None: the dataset's own."""
        self.dataset = dataset
        self._policies = policies
        self._opening = lanes.lane("open")
        self._warming = lanes.lane("encoder")
        self._preparing = lanes.lane("statistics")
        self._given_encoder = encoder
        self._made: Workbench | None = None
        self._closed = False
        self._making = threading.Lock()
        self._models: OnceCache[str, OpenModel] = OnceCache(self._read)
        self._read_models: set[str] = set()
        self._loads: dict[str, EncoderLoad] = {}
        self._loading = threading.Lock()

    @property
    def work(self) -> Workbench:
        """The workbench; made by the first thread that asks for it."""
        with self._making:
            if self._made is None:
                from engine.keywords.workbench import Workbench
                from engine.text.opening import open_encoder

                encoder = self._given_encoder or open_encoder()
                self._made = Workbench(self.dataset, encoder, self._policies)
                if self._closed:  # meanwhile: nobody else would end what is started from now on
                    self._end(self._made)
            return self._made

    @property
    def language(self) -> Profile:
        """How the dataset's numbers are called."""
        from engine.metrics import find_profile

        return find_profile(self.dataset.profile)

    def open(self, model: str, done: Callable[[OpenModel], None], failed: FailureHook) -> None:
        """Read the annotations and the model's embeddings."""

        def opened(found: OpenModel) -> None:
            done(found)
            self._preparing.submit(_prepare, lambda _: None, failed)

        self._opening.submit(lambda _: self.model(model), opened, failed)

    def model(self, name: str) -> OpenModel:
        """What the model knows; at hand once it was opened or asked."""
        return self._models[name]

    def is_open(self, name: str) -> bool:
        """Whether the model was read."""
        return name in self._read_models

    def takes_texts(self, *names: str) -> bool:
        """Whether texts can be asked of these models; of one that is not read they might be."""
        return all(self.model(name).takes_texts for name in names if self.is_open(name))

    def _read(self, name: str) -> OpenModel:
        from engine.dataset.examples import find_examples

        collection = self.work.collection(name)
        truth = collection.truth
        truth.counts  # noqa: B018 (counted here, not when the picker asks for them)
        names = (keyword.name for keyword in truth.words.keywords)
        groups = self.dataset.default_groups or truth.words.groups
        examples = find_examples(truth, groups)
        takes_texts = self.dataset.has_labels or not collection.lacks_text_encoder
        found = OpenModel(truth, Completer.of(names, truth.ids), examples, takes_texts)
        self._read_models.add(name)
        return found

    # Encoders that take seconds to load

    def warm(self, model: str, done: Callable[[None], None], failed: FailureHook) -> None:
        """Load what texts asked of the model need; what was warmed before goes on loading."""
        self._warming.submit(lambda ticket: self._load(model).wait(ticket), done, failed)

    def wait_for_encoder(self, model: str, ticket: Ticket[Any]) -> None:
        """Wait until texts asked of the model can be encoded, or until nobody waits any more."""
        self._load(model).wait(ticket)

    def _load(self, model: str) -> EncoderLoad:
        """The one under way, or another try."""
        name, work = self.dataset.model(model).encoder, self.work
        with self._loading:
            load = self._loads.get(name)
            if load is None or not load.is_under_way:
                load = EncoderLoad(lambda: work.wait_until_ready(model))
                self._loads[name] = load
            return load

    def encoder_status(self, model: str) -> EncoderStatus | None:
        """How far the model's encoder is; None where there is nothing to wait for."""
        return None if self._made is None else self._made.encoders.status(model)

    def find_loading(self, *models: str) -> EncoderStatus | None:
        """The first of the models whose encoder loads now."""
        found = map(self.encoder_status, models)
        return next((one for one in found if one and one.state == "warming"), None)

    def close(self) -> None:
        """End what was started here, and let nothing be started any more."""
        self._closed = True
        if self._made is not None:
            self._end(self._made)

    def _end(self, work: Workbench) -> None:
        work.close()
        if self._given_encoder is None:
            work.encoder.close()


def _prepare(_: Ticket[None]) -> None:
    """Have at hand what the first answer needs, and reading the files does not."""
    from engine.stats.distributions import load_distributions

    load_distributions()
