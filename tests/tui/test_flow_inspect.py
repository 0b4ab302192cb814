from __future__ import annotations
from pathlib import Path
from engine.encoder import SentenceEncoder
from tests.tui.inspector import *

def test_try(tmp_path, encoder):
    async def flow(see):
        await see.ask(CYCLIST)
        print(see.screen_text)
        print(see.footer)
        print(see.rows()[:3])
    inspect(flow, tmp_path, encoder)
def test_try2(tmp_path, encoder):
    async def flow(see):
        await see.ask_clip(CLIP)
        print(see.screen_text)
    inspect(flow, tmp_path, encoder)
