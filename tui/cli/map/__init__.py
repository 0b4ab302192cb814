"""`tui-eval map`: texts as keywords, how often they are the right ones, and what can be learned."""
