"""A report as one HTML file that needs nothing else: no network, no script, no other file.

Findings, Clips ─▶ report_html ─▶ text
"""

from engine.report.html.page import format_report_html

__all__ = ["format_report_html"]
