import { digestStyle } from '../digest/style.js'

/** The digest's style, and what the lines of a history need. */
export const historyStyle = `${digestStyle}
.verdict.plain{background:var(--card);border-left-color:var(--run)}
figcaption b{display:block;font-size:1.35rem;line-height:1.3;font-weight:650;font-variant-numeric:tabular-nums}
.charts{grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr))}td a,th a{white-space:nowrap;overflow-wrap:normal}
.plot{height:8rem}.spark{display:block;width:100%;height:2.6rem}
.plot,.spark{border-bottom:1px solid var(--line);overflow:visible}
svg path{fill:none;vector-effect:non-scaling-stroke}
svg .line{stroke:var(--run);stroke-width:2px;stroke-linejoin:round;stroke-linecap:round}
svg .dot{stroke:var(--run);stroke-width:7px;stroke-linecap:round}
svg .dot.bad{stroke:var(--bad)}svg .dot.accepted{stroke:var(--caution);stroke-width:11px}
svg .limit{stroke:var(--quiet);stroke-width:1.5px;stroke-dasharray:5 4}
svg .change{stroke-width:2px;stroke-dasharray:2 3}
svg .change.bad{stroke:var(--bad)}svg .change.good{stroke:var(--good)}
.legend i.limit{width:1.2rem;height:0;border-top:2px dashed var(--quiet);vertical-align:middle;border-radius:0}
.legend i.dot{border-radius:50%;width:.7rem;height:.7rem}
.legend i.bad{background:var(--bad)}.legend i.accepted{background:var(--caution)}
.legend i.worse{width:0;height:.9rem;border-left:2px dotted var(--bad);border-radius:0;vertical-align:middle}
.legend i.better{width:0;height:.9rem;border-left:2px dotted var(--good);border-radius:0;vertical-align:middle}
.search{display:flex;flex-wrap:wrap;gap:.4rem .8rem;align-items:center;margin:.6rem 0}
.search input{font:inherit;color:inherit;background:var(--card);border:1px solid var(--quiet);border-radius:.4rem;padding:.35rem .6rem;width:min(100%,24rem)}
.timers{list-style:none;padding:0}
.timer{display:grid;grid-template-columns:minmax(9rem,2fr) minmax(8rem,3fr) 6rem minmax(10rem,2fr);gap:.3rem 1rem;align-items:center;padding:.5rem .85rem;background:var(--card);border:1px solid var(--line);border-top:0;content-visibility:auto;contain-intrinsic-size:auto 3.8rem}
.timer:first-child{border-top:1px solid var(--line)}
.timer .name{overflow-wrap:anywhere}.timer .now{text-align:right;font-variant-numeric:tabular-nums}
.timer .changed{font-size:.85rem;color:var(--quiet)}.timer .bad{color:var(--bad)}.timer .good{color:var(--good)}
.timer .bad,.timer .good{font-weight:600}
.heat table{width:auto;border-collapse:separate;border-spacing:1px}
.heat th,.heat td{padding:.1rem .3rem;border:0;text-align:center;min-width:1.7rem;vertical-align:middle}
.heat tr>:first-child{position:sticky;left:0;z-index:1;background:var(--card);text-align:left;min-width:min(20rem,45vw);max-width:min(26rem,45vw)}
.heat .good,.mark.good{background:var(--good-soft)}.heat .bad,.mark.bad{background:var(--bad-soft)}.heat .caution,.mark.caution{background:var(--caution-soft)}
.mark{padding:0 .35rem}.heat+.legend{margin:.4rem 0 1rem}.mark.good{color:var(--good)}.mark.bad{color:var(--bad)}.mark.caution{color:var(--caution)}
[hidden]{display:none!important}
input:focus-visible{outline:3px solid var(--link);outline-offset:2px}
@media (max-width:40rem){.heat table{display:table}.heat thead{display:table-header-group;position:static;clip-path:none}.heat tbody{display:table-row-group}.heat tr{display:table-row}
.heat th,.heat td{display:table-cell}.heat td::before{content:none}.heat tr>:first-child{font-size:.8rem}
.timer{grid-template-columns:1fr auto}.timer .spark{grid-column:1/-1;grid-row:2}.timer .changed{grid-column:1/-1}}
`
