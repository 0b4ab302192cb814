"""A report as one HTML file that needs nothing else: no network, no script, no other file.

RunReport, RunClips ─▶ format_report_html ─▶ text
"""

from engine.report.html.page import format_report_html

__all__ = ["format_report_html"]
