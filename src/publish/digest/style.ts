/** The digest's only style sheet. Its colours keep a contrast of 4.5 to 1 for text and 3 to 1 for bars. */
export const digestStyle = `
:root{color-scheme:light dark;--page:#f5f6f8;--card:#fff;--line:#d9dee5;--text:#1b2330;--quiet:#566070;
--link:#0b57c4;--run:#2c6be0;--base:#8490a1;--good:#1a7337;--bad:#b3261e;--caution:#855400;
--good-soft:#e7f5eb;--bad-soft:#fdecea;--caution-soft:#fdf3df}
@media (prefers-color-scheme:dark){:root{--page:#0e1217;--card:#161c24;--line:#2e3743;--text:#e5e9ef;--quiet:#a0abba;
--link:#86b6ff;--run:#6aa2ff;--base:#75808f;--good:#5fd07f;--bad:#ff8f86;--caution:#e7b44c;
--good-soft:#14291b;--bad-soft:#351a1a;--caution-soft:#30260f}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;overflow-wrap:break-word;background:var(--page);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
.page{max-width:76rem;margin:0 auto;padding:1.25rem 1rem 3rem}
h1,h2,p,ul,dl,dd,figure{margin:0}
h1{font-size:clamp(1.35rem,1rem + 1.8vw,2rem);line-height:1.25;overflow-wrap:anywhere}
h2{font-size:1.1rem;margin:2rem 0 .6rem}
h3{font-size:1rem;margin:1.2rem 0 .5rem}
a{color:var(--link);overflow-wrap:anywhere}
.verdict{border:1px solid var(--line);border-left:.5rem solid;border-radius:.6rem;padding:1rem 1.25rem}
.verdict.good{background:var(--good-soft);border-left-color:var(--good)}
.verdict.bad{background:var(--bad-soft);border-left-color:var(--bad)}
.verdict.caution{background:var(--caution-soft);border-left-color:var(--caution)}
.tag{font-weight:600;margin-bottom:.15rem;display:flex;align-items:center;gap:.45rem}
.sign{width:1.25rem;height:1.25rem;flex:none;fill:currentColor}.sign path{fill:none;stroke:var(--card);stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.verdict p{overflow-wrap:anywhere}.verdict p+p,.verdict h1+p{margin-top:.4rem}
.good .tag,td.good,.tile .good{color:var(--good)}
.bad .tag,td.bad,.tile .bad{color:var(--bad)}
.caution .tag,td.caution{color:var(--caution)}
td.good,td.bad,td.caution{font-weight:600}
.links{display:flex;flex-wrap:wrap;gap:.15rem 1.25rem}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(10.6rem,47%),1fr));gap:.6rem;list-style:none;padding:0}
.tile,.card{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.7rem .85rem}
.tile span,.tile b{display:block}
.tile b{font-size:1.35rem;line-height:1.3;font-weight:650;font-variant-numeric:tabular-nums}
.tile span{font-size:.85rem;color:var(--quiet)}
.tile span.good,.tile span.bad{font-weight:600}
pre{margin:.6rem 0;font:.9rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
ul.list{padding-left:2rem}
ul.list li{margin:.25rem 0;overflow-wrap:anywhere}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:.8rem;align-items:start}
figcaption{font-weight:600;margin-bottom:.4rem;overflow-wrap:anywhere}
.shots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:.8rem;margin:.6rem 0}
.wide{grid-column:1/-1}.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));gap:.6rem}
img{display:block;width:100%;height:auto;background:#fff;border-radius:.3rem}
.legend{font-weight:400;font-size:.85rem;color:var(--quiet);display:flex;gap:1rem;flex-wrap:wrap}
.legend i{display:inline-block;width:.75rem;height:.6rem;border-radius:2px;margin-right:.35rem}
.legend .run{background:var(--run)}.legend .base{background:var(--base)}
figure svg{display:block;width:100%;font:13px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-variant-numeric:tabular-nums}
svg text{fill:var(--text)}.bars{list-style:none;padding:0}.bars li{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem;font-size:.85rem;overflow-wrap:anywhere}
.bars svg{height:1.2rem}.bars rect{height:9px;rx:2px}.bars .run{fill:var(--run)}.bars .base{fill:var(--base);height:5px;y:10px}
.charts{margin-bottom:.8rem}.steady{margin:0 0 .5rem}
.plot,.spark{box-sizing:border-box;overflow:visible;padding:1.1rem .5rem 1.4rem 4.2rem}.plot{height:12.8rem}
.plot>svg,.spark>svg{overflow:visible;width:100%;height:100%}.plot text,.spark text{fill:var(--quiet);font-size:.75rem}
.plot path,.spark path{fill:none;vector-effect:non-scaling-stroke}svg .grid{stroke:var(--line);stroke-width:1px}
svg .line{stroke:var(--run);stroke-width:2px;stroke-linejoin:round;stroke-linecap:round}svg .before{stroke:var(--base);stroke-width:2px;stroke-dasharray:5 4}
.legend i.line,.legend i.before{width:1.2rem;height:0;border-top:2px solid var(--run);vertical-align:middle;border-radius:0}.legend i.before{border-top:2px dashed var(--base)}
.box{position:relative;overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:.6rem}
table{border-collapse:collapse;width:100%;font-size:.9rem}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
th,td{padding:.4rem .7rem;text-align:left;vertical-align:top;border-top:1px solid var(--line)}
thead th{border-top:0;font-weight:600;color:var(--quiet)}
tbody th{font-weight:500;min-width:10rem;overflow-wrap:anywhere}
td{max-width:26rem;overflow-wrap:break-word}
.number{text-align:right;font-variant-numeric:tabular-nums}
.code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.94em}
.detail,.below{display:block;font-weight:400;color:var(--quiet);font-size:.85rem}.detail{min-width:11rem}
th .links,td .links{gap:.1rem .8rem;font-weight:400}
.new{font-weight:600;color:var(--quiet);font-size:.8rem;margin-left:.4rem}
.number .new{display:inline-block;font-weight:400}.number .new::before{content:"("}.number .new::after{content:")"}
th.good>.new{color:var(--good)}th.bad>.new{color:var(--bad)}th.caution>.new{color:var(--caution)}
details{margin-top:.6rem}
summary{cursor:pointer;padding:.55rem .85rem;background:var(--card);border:1px solid var(--line);border-radius:.6rem;font-weight:600}
details[open] summary{margin-bottom:.4rem}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,14rem),1fr));gap:.5rem 1.25rem}
dt{font-size:.85rem;color:var(--quiet)}dd{overflow-wrap:anywhere}
.quiet{color:var(--quiet);font-size:.85rem;margin-top:.4rem}
a:focus-visible,summary:focus-visible,.box:focus-visible{outline:3px solid var(--link);outline-offset:2px}
@media (max-width:40rem){
body{font-size:.9rem}.page{padding:.5rem .5rem 2rem}.verdict{padding:.5rem .75rem}h1{font-size:1.2rem}h2{margin:1rem 0 .4rem}
ul.list{padding:.5rem .75rem .5rem 1.75rem}ul.list li{margin:.15rem 0}.links{gap:0 .9rem}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table,tbody,tr,th,td{display:block;max-width:none}
tr{border-top:1px solid var(--line);padding:.6rem .85rem}tr:first-child{border-top:0}
th,td{border:0;padding:.1rem 0}
th{padding-bottom:.3rem}
td{display:flex;justify-content:space-between;gap:1rem;text-align:right}
td::before{content:attr(data-column);color:var(--quiet);font-weight:400;text-align:left}
td.absent{display:none}
td .links{justify-content:flex-end}
tbody th,.detail,td>span{min-width:0;overflow-wrap:anywhere}
}
@media print{body{background:#fff}.box{overflow:visible}}
`

/** The digest's, and what the lines of a history need. */
export const historyStyle = `${digestStyle}
.verdict.plain{background:var(--card);border-left-color:var(--run)}
figcaption b{display:block;font-size:1.35rem;line-height:1.3;font-weight:650;font-variant-numeric:tabular-nums}
.charts{grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr))}td a,th a{white-space:nowrap;overflow-wrap:normal}
.plot{padding-top:1.9rem}.spark{display:block;width:100%;height:4.6rem;padding:.3rem .3rem 1.3rem 4.2rem;font-size:.75rem}
svg .number{fill:var(--text);font-weight:650}
svg .band{fill:var(--run);opacity:.16}.legend i.noise{background:var(--run);opacity:.3}.found{margin:.5rem 0 0;padding-left:1.4rem;font-size:.85rem}.found li{margin:.2rem 0}
svg .dot{stroke:var(--run);stroke-width:7px;stroke-linecap:round}
svg .dot.small{stroke-width:4px}svg .dot.bad{stroke:var(--bad);stroke-linecap:square}svg .dot.accepted{stroke:var(--caution);stroke-width:11px}
svg .limit{stroke:var(--quiet);stroke-width:1.5px;stroke-dasharray:5 4}
svg .change{stroke-width:2px;stroke-dasharray:2 3}
svg .change.bad{stroke:var(--bad)}svg .change.good{stroke:var(--good);stroke-dasharray:7 3}
.legend i.limit{width:1.2rem;height:0;border-top:2px dashed var(--quiet);vertical-align:middle;border-radius:0}
.legend i.dot{border-radius:50%;width:.7rem;height:.7rem}
.legend i.bad{background:var(--bad);border-radius:1px}.legend i.accepted{background:var(--caution)}
.legend i.worse{width:0;height:.9rem;border-left:2px dotted var(--bad);border-radius:0;vertical-align:middle}
.legend i.better{width:0;height:.9rem;border-left:2px dashed var(--good);border-radius:0;vertical-align:middle}
.timers{list-style:none;padding:0}
.timer{display:grid;grid-template-columns:minmax(8rem,2fr) minmax(14rem,4fr) 5.5rem minmax(11rem,3fr);gap:.3rem 1rem;align-items:center;padding:.5rem .85rem;background:var(--card);border:1px solid var(--line);border-top:0;content-visibility:auto;contain-intrinsic-size:auto 5.6rem}
.timer:first-child{border-top:1px solid var(--line)}
.timer .name{overflow-wrap:anywhere}.timer .now{text-align:right;font-variant-numeric:tabular-nums}
.timer .changed{font-size:.85rem;color:var(--quiet)}.changed>span{display:block}.changed .bad,.found .bad{color:var(--bad);font-weight:600}.changed .good,.found .good{color:var(--good);font-weight:600}
.heat table{width:auto;border-collapse:separate;border-spacing:1px}
.heat th,.heat td{padding:.1rem .3rem;border:0;text-align:center;min-width:1.7rem;vertical-align:middle}
.heat thead a,.heat thead span{writing-mode:vertical-rl;white-space:nowrap;font-weight:400}
.heat tr>:first-child{position:sticky;left:0;z-index:1;background:var(--card);text-align:left;min-width:min(20rem,56vw);max-width:min(26rem,56vw)}
.heat .good,.mark.good{background:var(--good-soft)}.heat .bad,.mark.bad{background:var(--bad-soft)}.heat .caution,.mark.caution{background:var(--caution-soft)}
.mark{padding:0 .35rem}.heat+.legend{margin:.4rem 0 1rem}.mark.good{color:var(--good)}.mark.bad{color:var(--bad)}.mark.caution{color:var(--caution)}
@media (max-width:40rem){.heat table{display:table}.heat thead{display:table-header-group;position:static;clip-path:none}.heat tbody{display:table-row-group}.heat tr{display:table-row}
.heat th,.heat td{display:table-cell}.heat td::before{content:none}.heat thead a,.heat thead span{writing-mode:vertical-rl;white-space:nowrap;font-weight:400}
.heat tr>:first-child{font-size:.75rem}
.timer{grid-template-columns:1fr auto}.timer .spark{grid-column:1/-1;grid-row:2}.timer .changed{grid-column:1/-1}}
`
