"""What the analyses are computed from: one calculation in each file, shared through the study.

What several analyses want is asked for as `study.once(measure_…)`, and computed by whoever wants it
first. What is said of the numbers is the analyses' business; only the mapper's facts, which are
many, are worded in files of their own here.
"""
