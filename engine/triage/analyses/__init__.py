"""The analyses, one file each; `engine.triage.registry` lists them.

An analysis turns numbers into findings: what is said, how sure it is, what it costs, what shows it
and what to do next. The numbers themselves are computed in `engine.triage.workings`.
"""
