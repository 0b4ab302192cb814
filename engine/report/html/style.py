"""How a report looks: light and dark, on a desk, on a phone and on paper."""

from __future__ import annotations

from engine.report.html.chart_style import CHART_STYLE

LIGHT_COLOURS = {
    "page": "#ffffff",
    "raised": "#f5f6f8",
    "line": "#d9dde3",
    "text": "#1a1d21",
    "muted": "#565e69",
    "link": "#0a55a8",
    "good": "#0b6b3a",
    "part": "#855000",
    "bad": "#b3261e",
    "s0": "#0a55a8",
    "s1": "#a84300",
    "s2": "#00695c",
    "s3": "#7b2d8e",
    "s4": "#5c5500",
    "s5": "#8c1d4f",
}
DARK_COLOURS = {
    "page": "#111418",
    "raised": "#1a1e24",
    "line": "#343b45",
    "text": "#e7eaee",
    "muted": "#a5aeba",
    "link": "#8cc2ff",
    "good": "#6fd19c",
    "part": "#f0b658",
    "bad": "#ff9a90",
    "s0": "#8cc2ff",
    "s1": "#ffa866",
    "s2": "#5fd3c2",
    "s3": "#d9a5ee",
    "s4": "#d6cd5a",
    "s5": "#ff9cc4",
}


def build_stylesheet() -> str:
    """The style sheet, with the colours of both schemes."""
    light, dark = _variables(LIGHT_COLOURS), _variables(DARK_COLOURS)
    return (
        f":root{{color-scheme:light dark;{light}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
        f"{_LAYOUT}{_TABLES}{_FIGURES}{_QUERIES}{CHART_STYLE}{_PRINT}"
    )


def _variables(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in colours.items())


_LAYOUT = """
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--text);
font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",sans-serif;
font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
body>*{max-width:74rem;margin-inline:auto;padding-inline:clamp(1rem,3vw,2rem)}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:1rem;background:var(--page);padding:.5rem}
a{color:var(--link);text-underline-offset:.15em}
h1{font-size:clamp(1.7rem,4vw,2.4rem);line-height:1.15;letter-spacing:-.02em;margin:.1em 0 .35em}
h2{font-size:1.45rem;line-height:1.25;letter-spacing:-.01em;margin:3.2rem 0 .6rem;
padding-top:.9rem;border-top:2px solid var(--text)}
h3{font-size:1.12rem;line-height:1.3;margin:2.2rem 0 .5rem}
h4{font-size:.95rem;line-height:1.35;margin:0 0 .3rem}
h2,h3,article{scroll-margin-top:1rem}
.anchor{color:inherit;text-decoration:none}
.anchor:hover,.anchor:focus-visible{text-decoration:underline}
p{margin:.4rem 0 .8rem;max-width:46rem}
header.top{padding-top:2.6rem}
.kicker{color:var(--muted);font-size:.9rem;margin:0}
.lead{font-size:1.08rem;color:var(--muted);margin:0 0 1.4rem}
nav ul{display:flex;flex-wrap:wrap;gap:.35rem 1.3rem;list-style:none;
padding:.7rem 0;margin:1.6rem 0 0;border-block:1px solid var(--line);font-size:.95rem}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,19rem),1fr));gap:1rem;
margin:1.4rem 0 0;padding:0;list-style:none}
.tile{background:var(--raised);border-radius:.6rem;padding:1.1rem 1.3rem 1.2rem}
.tile p{margin:0;max-width:none}
.tile .what{font-weight:600}
.tile .formula,.tile .more{color:var(--muted);font-size:.9rem}
.tile .big{font-size:2.7rem;line-height:1.15;font-weight:650;letter-spacing:-.03em;
margin:.35rem 0 .2rem}
dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:.3rem 1.4rem;margin:.8rem 0}
dl.facts dt{color:var(--muted)}
dl.facts dd{margin:0;min-width:0;overflow-wrap:anywhere}
.notes{margin:.6rem 0 1.2rem;padding-left:1.2rem;color:var(--muted);font-size:.9rem;max-width:52rem}
.notes li{margin:.15rem 0}
.missing{border-left:4px solid var(--part);background:var(--raised);padding:.6rem 1rem;
margin:1rem 0;max-width:52rem}
code,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;
font-size:.86em}
footer{color:var(--muted);font-size:.9rem;margin-top:3rem;padding-block:1rem 3rem}
@media (max-width:40rem){dl.facts{grid-template-columns:1fr;gap:0}dl.facts dd{margin:0 0 .6rem}
h2{margin-top:2.4rem}}
"""

_TABLES = """
figure{margin:1rem 0}
figure.table{margin:.6rem 0 1.8rem}
figcaption{font-weight:600;font-size:.95rem;padding:0 0 .45rem}
.scroll{overflow-x:auto;max-width:100%;-webkit-overflow-scrolling:touch}
.scroll:focus-visible,summary:focus-visible{outline:2px solid var(--link);outline-offset:2px}
table{border-collapse:collapse;font-size:.9rem;line-height:1.4;min-width:min(100%,30rem);
overflow-wrap:normal}
th,td{padding:.36rem .65rem;text-align:right;vertical-align:baseline;white-space:nowrap;
border-bottom:1px solid var(--line)}
th:first-child,td:first-child{padding-left:.3rem}
thead th{color:var(--muted);font-weight:600;border-bottom:1.5px solid var(--text);
vertical-align:bottom;white-space:normal}
th.l,td.l{text-align:left}
thead th.name{white-space:nowrap}
tbody th,thead th:first-child{font-weight:500;text-align:left;white-space:normal;min-width:6.6rem}
thead th:first-child{font-weight:600}
tbody th,td.wrap{overflow-wrap:break-word}
td.wrap{white-space:normal;min-width:11rem}
tr.main>*{background:var(--raised)}
tr.main>th{font-weight:650}
td b{font-weight:700}
td sup{line-height:0}
tr.few>*{color:var(--muted)}
td.range{padding-block:.36rem 0;vertical-align:top}
td.range svg{display:block;width:7rem;height:1.25rem}
.ends{display:flex;justify-content:space-between;width:7rem}
@media (max-width:40rem){
tbody th:first-child,thead th:first-child{position:sticky;left:0;background:var(--page);
max-width:44vw;z-index:1}
tr.main>th:first-child{background:var(--raised)}
th,td{padding-inline:.5rem}thead th{white-space:nowrap}}
"""

_FIGURES = """
.panels{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,15.4rem),1fr));
gap:1.4rem 1.5rem;margin:.6rem 0 1rem}
.panels.wide{grid-template-columns:repeat(auto-fill,minmax(min(100%,21rem),1fr))}
.panels figure{margin:0;min-width:0;display:flex;flex-direction:column;
justify-content:space-between}
.panels figcaption{padding-bottom:.2rem}
.panels figcaption span{display:block;font-weight:400;color:var(--muted);font-size:.85rem}
.panels svg{display:block;width:100%;height:auto;max-width:27rem}
svg text{font:11px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;
fill:var(--muted);font-variant-numeric:tabular-nums}
svg .grid{stroke:var(--line);stroke-width:1}
svg .axis{stroke:var(--muted);stroke-width:1}
svg .curve{fill:none;stroke-width:2;stroke-linejoin:round}
svg .dot{stroke:var(--page);stroke-width:1.2}
svg .name{font-weight:600}
svg .whisker{stroke:var(--s0);stroke-width:1.6}
svg .centre{fill:var(--s0)}
svg .hits{fill:var(--s0);fill-opacity:.55;stroke:var(--s0);stroke-width:1.2}
svg .hatch{stroke:var(--s1);stroke-width:1.6}
svg .misses{stroke:var(--s1);stroke-width:1.6}
""" + "".join(
    f"svg .s{n}{{stroke:var(--s{n})}}svg .f{n},svg text.f{n}{{fill:var(--s{n})}}\n"
    for n in range(6)
)

_QUERIES = """
details{margin:.8rem 0}
summary{cursor:pointer;color:var(--link);width:fit-content;font-size:.92rem}
article.query{border:1px solid var(--line);border-radius:.6rem;margin:1.2rem 0;overflow:hidden}
.query>header{background:var(--raised);padding:.9rem 1.2rem;display:flex;flex-wrap:wrap;
gap:.5rem 1.6rem;justify-content:space-between;align-items:flex-start}
.query h4{font-size:1.08rem;margin:0 0 .3rem;overflow-wrap:anywhere}
.query .asked{flex:1 1 22rem;min-width:0}
.query .value{text-align:right;flex:0 1 auto;min-width:0}
.query .value strong{font-size:1.35rem;letter-spacing:-.01em;display:block;line-height:1.3}
.query .value span{color:var(--muted);font-size:.88rem}
.chips{display:flex;flex-wrap:wrap;gap:.3rem .9rem;margin:0;padding:0;list-style:none;
font-size:.9rem}
.chips .group{color:var(--muted)}
.results{list-style:none;margin:0;padding:0}
.results>li{display:grid;grid-template-columns:3.2rem minmax(0,1fr);gap:.2rem 1rem;
padding:.75rem 1.2rem;border-top:1px solid var(--line);align-items:start}
.results.pictured>li{grid-template-columns:3.2rem minmax(0,30.4rem) minmax(0,1fr)}
.results .rank{font-size:1.15rem;font-weight:650;line-height:1.35;white-space:nowrap}
.results .rank small{display:block;font-size:.78rem;font-weight:400;color:var(--muted);
line-height:1.25}
img.strip{display:block;width:100%;max-width:30.4rem;height:auto;border-radius:.25rem;
background:#111}
.nopicture{color:var(--muted);font-size:.85rem;border:1px dashed var(--line);border-radius:.25rem;
padding:.5rem .7rem;max-width:20rem}
.found{min-width:0}
.found p{margin:0;max-width:none}
.found .id{overflow-wrap:anywhere}
.verdict{font-weight:650;white-space:nowrap}
.verdict.hit{color:var(--good)}.verdict.part{color:var(--part)}.verdict.miss{color:var(--bad)}
.verdict.none{color:var(--muted)}
.sim{color:var(--muted);padding-left:.8rem}
.marks{margin:.25rem 0 0;padding:0;list-style:none;font-size:.9rem;line-height:1.45}
.marks .group{color:var(--muted)}
.marks .also{color:var(--muted)}
.sign{font-family:"Noto Color Emoji","Apple Color Emoji","Segoe UI Emoji",system-ui,sans-serif;
font-size:.85em}
.lost{background:var(--raised);color:var(--muted);padding:.5rem 1.2rem;margin:0;max-width:none;
border-top:1px solid var(--line);font-size:.9rem}
.queryclip{padding:.75rem 1.2rem;border-top:1px solid var(--line)}
.queryclip p{margin:0 0 .35rem;color:var(--muted);font-size:.88rem}
@media (max-width:52rem){.results.pictured>li{grid-template-columns:3.1rem minmax(0,1fr)}
.results.pictured>li>.found{grid-column:2}.query .value{text-align:left}
.results>li,.query>header,.queryclip,.lost{padding-inline:.9rem}.results>li{gap:.4rem .6rem}}
"""

_PRINT = """
@media print{
@page{margin:15mm 13mm}
html{font-size:11.5px}
body{font-size:1rem}
body>*{max-width:none;padding-inline:0}
.panels{grid-template-columns:repeat(2,1fr)}
.panels.wide{grid-template-columns:repeat(2,1fr)}
nav,.skip,details,td.range,th.range{display:none}
header.top{padding-top:0}
h2{break-after:avoid;margin-top:1.4rem}h3,h4,figcaption{break-after:avoid}
tr,.panels figure,.tile,.results>li,.query>header,.queryclip{break-inside:avoid}
.query>header,.queryclip{break-after:avoid}
article.query{overflow:visible}
.scroll{overflow:visible}
table{font-size:.88rem}th,td{padding:.18rem .4rem}td.l{white-space:normal}
.results.pictured>li{grid-template-columns:2.8rem 16rem minmax(0,1fr);padding-block:.4rem}
.results.pictured>li>.found{grid-column:3}
.queryclip img{max-width:16rem}
.tile,.query>header,tr.main>*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
}
"""
