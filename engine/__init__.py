"""The evaluation engine: files in, judged rankings and scores out.

It knows neither Textual nor Typer, prints nothing and never exits. Heavy libraries are
imported inside the functions that need them, so that importing `engine` stays cheap.
"""
