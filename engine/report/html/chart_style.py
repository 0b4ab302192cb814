"""How bars, clouds and cross tables look: in grey, shapes, patterns and outlines tell apart what
colours tell apart."""

from __future__ import annotations

CHART_STYLE = """
.panels.two{grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),30rem));gap:1.6rem 3rem}
.panels.two figure{justify-content:flex-start}
.panels.two svg{max-width:30rem}
.under{color:var(--text);font-size:.95rem;margin:.5rem 0 1.4rem;max-width:52rem}
.panels.three{grid-template-columns:repeat(auto-fit,minmax(min(100%,18rem),1fr))}
.legend{color:var(--muted);font-size:.88rem;margin:.2rem 0 .8rem;max-width:52rem}
figure.chart{margin:1.2rem 0 1.6rem}
figure.chart .scroll{width:fit-content}
figure.chart svg{display:block;max-width:none}
svg .strong,svg text.strong{font-weight:650;fill:var(--text)}
svg text.inside{fill:var(--page);font-weight:650}
svg text.in-cell{fill:var(--text);font-size:12px}
svg text.over{fill:var(--text);paint-order:stroke;stroke:var(--page);stroke-width:4px;
stroke-linejoin:round}
svg text.small{font-size:10px}
svg .lines{fill:none;stroke-width:1.7}
svg .part{stroke-width:1.4}
svg .mark{stroke:var(--text);stroke-width:1.2;stroke-dasharray:3 3}
svg .tick{stroke:var(--text);stroke-width:2.4}
svg .best{fill:var(--page);stroke:var(--text);stroke-width:1.3}
svg .bar{fill:var(--s0);fill-opacity:.3;stroke:var(--s0);stroke-width:1}
svg .bar.marked{fill:var(--s1);fill-opacity:.55;stroke:var(--s1);stroke-width:1.4}
svg .ends-of{fill:none;stroke:var(--text);stroke-width:1.5}
svg .cell{fill:var(--s0);stroke:var(--line);stroke-width:1}
svg .cell.marked{stroke:var(--text);stroke-width:2}
svg .dots{fill:none;stroke:var(--s0);stroke-width:3.2;stroke-linecap:round;stroke-opacity:.4}
svg .halo{stroke:var(--page);stroke-width:5}
article.finding{border:1px solid var(--line);border-radius:.6rem;margin:1.1rem 0;overflow:hidden}
.finding>header{background:var(--raised);padding:.8rem 1.2rem;display:flex;flex-wrap:wrap;
gap:.2rem 1.4rem;align-items:baseline}
.finding>header p{margin:0}
.finding>header .severity:last-child{margin-left:auto}
.finding h4{font-size:1.08rem;margin:0;overflow-wrap:anywhere}
.finding .severity{color:var(--muted);font-size:.9rem}
.finding .severity strong{color:var(--text);font-size:1.05rem}
.finding .said{padding:.8rem 1.2rem 1rem}
.finding .said>p{max-width:62rem;margin:0 0 .5rem}
.finding .notes{margin:.3rem 0}
.finding .measured{display:flex;flex-wrap:wrap;gap:.4rem 2.2rem;align-items:center;margin:.3rem 0}
.finding .measured svg{display:block;width:19rem;max-width:100%;height:auto}
.finding dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.15rem 1rem;margin:0;
font-size:.92rem}
.finding dt{color:var(--muted)}
.finding dd{margin:0}
.finding details{margin:.6rem 0 0}
.evidence{margin:.8rem 0 0;padding:0;list-style:none;display:grid;gap:1rem 2rem;
grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),1fr))}
.evidence>li{border-top:1px solid var(--line);padding-top:.5rem;font-size:.9rem;min-width:0}
.evidence p{margin:0}
.evidence .of{color:var(--muted)}
.evidence ol{margin:.3rem 0;padding-left:1.7rem}
.evidence .without{color:var(--muted)}
.sentences{margin:.4rem 0 1rem;padding-left:1.2rem;max-width:60rem}
.sentences li{margin:.3rem 0}
@media (max-width:40rem){.finding>header .severity:last-child{margin-left:0}
.finding>header,.finding .said{padding-inline:.9rem}}
@media print{.finding{break-inside:avoid}figure.chart .scroll{width:auto}
figure.chart svg{max-width:100%;height:auto}}
"""
