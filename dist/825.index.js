var $t=Object.defineProperty;var a=(G,y)=>$t(G,"name",{value:y,configurable:!0});const vt=825,wt=[825],kt={28825:((G,y,u)=>{u.d(y,{renderHistory:a(()=>it,"renderHistory")});var j=u(47473),s=u(74255),I=u(23185),h=u(86119),H=u(80573),J=u(93769);const K=`${J.m}
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
`;var g=u(59127),p=u(4009),v=u(22707),$=u(75261),M=u(72092);const L=100,q={failed:"✕",warned:"!","not-measured":"?","not-compared":"–","left-out":"–",passed:"✓"},Q={failed:"failed",invalid:"not-measured",passed:"passed"};function U({gates:t,verdicts:e},n){if(t.length===0||n.length===0)return"";const r=n.map((c,m)=>`<th scope="col">${Z(c,m)}</th>`),i=e.map(c=>({result:Q[c]})),o=t.slice(0,L).map(c=>F(_(c),c.results,n)),l=t.length>L?`<p class="quiet">The first ${(0,h.ku)(L)} of ${(0,H.L)(t.length,"gate")} are shown. The outcome file has them all.</p>`:"";return`<div class="box heat" role="region" aria-label="Gates and runs" tabindex="0"><table><caption>Gates and runs, the oldest first</caption>
<thead><tr><th scope="col">Gate</th>${r.join("")}</tr></thead>
<tbody>
${[F("All gates",i,n),...o].join(`
`)}
</tbody></table></div>
<p class="legend">${P.join(" ")}</p>${l}`}a(U,"heatMap");const P=["passed","failed","warned","not-measured","not-compared"].map(t=>{const{word:e,tone:n}=M.DO[t];return`<span><b class="mark ${n}">${q[t]}</b> ${e}</span>`});function Z(t,e){const n=e+1,r=(0,s.js)((0,g.le)(t),200),i=(0,s.Dy)(t.url);return i===void 0?`<span title="${r}">${n}</span>`:`<a href="${(0,s.js)(i,2e3)}" title="${r}" rel="noopener noreferrer">${n}</a>`}a(Z,"runLink");function _({gate:t,name:e}){const n=e===void 0?"":`<span class="detail"><bdi>${(0,s.js)(e,100)}</bdi></span>`;return`<span class="code"><bdi>${(0,s.js)(t,200)}</bdi></span>${n}`}a(_,"gateHtml");function F(t,e,n){const r=n.map((i,o)=>tt(e[o],i));return`<tr><th scope="row">${t}</th>${r.join("")}</tr>`}a(F,"rowHtml");function tt(t,e){if(!t)return"<td></td>";const{word:n,tone:r}=M.DO[t.result],i=t.reason===void 0?"":`. ${t.reason}`;return`<td class="${r}" aria-label="${n}" title="${(0,s.js)(`${(0,g.le)(e)}: ${n}${i}`,400)}">${q[t.result]}</td>`}a(tt,"cellHtml");const k=10,T=100;function et(t,e,n,r){const{values:i,limits:o}=t,l=(0,j.uF)(t.metric),c=(0,p.dY)(t),m=x(i),b=x(o??[]),d=V(t),f=i.map((D,W)=>{const w=e[W];if(D===null||!w)return"";const Y=w.acceptedBy!==void 0?" accepted":w.verdict==="failed"?" bad":"",gt=`${(0,g.le)(w)}: ${(0,h.au)(D,l)}${Y===""?"":`, ${(0,g.nt)(w)}`}`;return`<path class="dot${Y}" d="M${O(W)} ${E(D,d)}h0"><title>${(0,s.js)(gt,200)}</title></path>`}),z=[`highest ${(0,s.js)((0,h.au)(C(i),l))}`,...b===void 0?[]:[`<span><i class="limit"></i>limit ${(0,s.js)((0,h.au)(b,l))}</span>`]];return`<figure class="card"><figcaption>${(0,s.js)(c)}<b>${(0,s.js)((0,h.au)(m,l))}</b><span class="legend">${z.join(" ")}</span></figcaption>
${R(t,n,{id:r,kind:"plot",dots:f.join("")})}</figure>`}a(et,"seriesChart");function nt(t,e,n){return R(t,e,{id:n,kind:"spark",dots:""})}a(nt,"sparkline");function x(t){return t.at(-1)??void 0}a(x,"latestOf");function R(t,e,{id:n,kind:r,dots:i}){const{values:o,limits:l=[]}=t,c=V(t),m=e.map(d=>{const f=O(d.run)-k/2;return`<path class="change ${(0,p.Hv)(d)}" d="M${f} 0V${T}"/>`}),b=l.length===0?"":`<path class="limit" d="${B(l,c)}"/>`;return`<svg class="${r}" role="img" aria-labelledby="${n}" viewBox="0 0 ${o.length*k} ${T}" preserveAspectRatio="none"><title id="${n}">${(0,s.js)(rt(t,e),300)}</title>${b}${m.join("")}<path class="line" d="${B(o,c)}"/>${i}</svg>`}a(R,"svg");function rt(t,e){const n=(0,j.uF)(t.metric),r=t.values.filter(m=>m!==null),[i,o]=[at(r),C(r)].map(m=>(0,h.au)(m,n)),l=i===o?`${i}`:`between ${i} and ${o}`,c=e.map(m=>`, ${(0,p.w0)(m)} from run ${m.run+1} on`);return`${t.name??(0,p.dY)(t)} in ${r.length} of ${(0,H.L)(t.values.length,"run")}: ${l}${c.join("")}`}a(rt,"describe");function B(t,e){let n=!1,r="";for(const[i,o]of t.entries())o!==null&&(r+=`${n?"L":"M"}${O(i)} ${E(o,e)}${n?"":"h0"}`),n=o!==null;return r}a(B,"lineOf");function O(t){return t*k+k/2}a(O,"x");function E(t,e){return Math.round((1-t/e)*T*10)/10}a(E,"y");function V({values:t,limits:e=[]}){const n=C([...t,...e])??0;return n>0?n*1.08:1}a(V,"topOf");function C(t){return t.reduce((e,n)=>n===null||(e??n)>n?e:n,void 0)}a(C,"highestOf");function at(t){return t.reduce((e,n)=>(e??n)<n?e:n,void 0)}a(at,"lowestOf");var X=u(87548),S=u(36288);const A=1e3,ot=`(()=>{
const box=document.getElementById('search'),input=box.querySelector('input'),found=box.querySelector('output')
const rows=[...document.querySelectorAll('.timer')].map(row=>[row,row.querySelector('.name').textContent.toLowerCase()])
box.hidden=false
input.addEventListener('input',()=>{
const wanted=input.value.trim().toLowerCase()
let count=0
for(const [row,name] of rows){row.hidden=!name.includes(wanted);if(!row.hidden)count++}
found.textContent=wanted===''?'':count+' of '+rows.length
})
})()`;function it(t,e){const{repository:n}=t.step,r=e.series.some(({name:i})=>i!==void 0);return(0,$.X)({title:(0,p.f4)(e),style:K,script:r?ot:void 0,tone:"plain",tag:`Load tests${n===void 0?"":` of ${(0,s.js)(n,140)}`}`,below:[`<p>${(0,s.js)((0,p.it)(e))}</p>`,st(t)],sections:dt(t,e)})}a(it,"renderHistory");function st({step:t}){const e=(0,s.Dy)(t.workflowRunUrl);return e===void 0?"":`<p class="links">${(0,v.eq)("Workflow run that wrote this page",e)}</p>`}a(st,"workflowLink");function dt(t,e){const n="The outcome file has them all.";return[(0,v.o1)("Notes",t.notes,[]),(0,$.u)("Key figures",ct(e)+ut(e)),(0,$.u)("Gates",lt(e)),(0,$.u)("Changes",(0,v.qj)((0,g.lD)(t,e),n)+mt(e)),(0,$.u)("Timers",pt(e)),(0,$.u)("Runs",(0,v.qj)((0,g.cS)(t,e),n))]}a(dt,"sections");function lt({trial:t,runs:e}){if(!t||e.length===0)return"";const n=(0,v.qj)((0,X.XL)(t),"The outcome file has them all.");return`${U(t,e)}
${n}<p class="quiet">${(0,s.js)(X.QX)}</p>`}a(lt,"trialHtml");function ct(t){const e=(0,p.J8)(t).map((n,r)=>et(n,t.runs,N(t,n),`key-${r+1}`));return e.length===0?"":`<div class="charts">${e.join(`
`)}</div>`}a(ct,"keyCharts");function ut({runs:t,changePoints:e,series:n}){if(n.length===0)return"";const r=a(o=>e.some(l=>(0,p.Hv)(l)===o),"has");return`<p class="legend">${[...r("bad")?['<span><i class="worse"></i>change for the worse</span>']:[],...r("good")?['<span><i class="better"></i>change for the better</span>']:[],...t.some(({verdict:o})=>o==="failed")?['<span><i class="dot bad"></i>gates failed</span>']:[],...t.some(({acceptedBy:o})=>o!==void 0)?['<span><i class="dot accepted"></i>accepted</span>']:[],"<span>All charts begin at 0. A gap is a run that did not measure the figure.</span>"].join(" ")}</p>`}a(ut,"history_legend");function mt({runs:t,changePoints:e}){if(t.length===0)return"";const n="A change is marked at a run if it and the next one both differ from the runs before them by more than noise and 10%, in the same direction. The latest run cannot have one yet.";return`<p class="quiet">${e.length===0?`There is none. ${n}`:n}</p>`}a(mt,"changeNote");function N({changePoints:t},e){return t.filter(n=>(0,p.yW)(n,e))}a(N,"changesOf");function pt(t){const e=S.ty.map(r=>ht(t,r)).filter(r=>r!=="");return e.length===0?"":`<p class="search" id="search" hidden><label for="wanted">Find timers</label> <input id="wanted" type="search" autocomplete="off"> <output for="wanted"></output></p>
${e.join(`
`)}`}a(pt,"timersHtml");function ht(t,e){const n=t.series.filter(d=>d.kind===e&&d.name!==void 0).map(d=>({series:d,changes:N(t,d)})),[r]=n;if(!r)return"";const i=a(({changes:d})=>d.at(-1)?.run??-1,"newest"),o=a(({series:d})=>x(d.values)??-1,"value");n.sort((d,f)=>i(f)-i(d)||o(f)-o(d));const l=n.filter(({changes:d})=>d.length>0).length,c=`${S.ER[e]}, ${(0,I.Vu)(r.series.metric)}: ${(0,h.ku)(n.length)}${l>0?`, of which ${(0,h.ku)(l)} changed`:""}`,m=n.slice(0,A).map(({series:d,changes:f},z)=>ft(t,d,f,`${e}-${z+1}`)),b=n.length>A?`<p class="quiet">The first ${(0,h.ku)(A)} of ${(0,H.L)(n.length,S.$1[e])} are shown. The outcome file has them all.</p>`:"";return`<details open><summary>${(0,s.js)(c)}</summary>
<ul class="timers">
${m.join(`
`)}
</ul>${b}</details>`}a(ht,"kindHtml");function ft(t,e,n,r){const i=(0,j.uF)(e.metric),o=n.at(-1),l=o&&t.runs[o.run],c=o&&l?`<span class="${(0,p.Hv)(o)}">${(0,s.js)((0,p.w0)(o))}</span> from ${(0,s.js)((0,g.le)(l))} on`:"";return`<li class="timer"><span class="name code"><bdi>${(0,s.js)(e.name??"")}</bdi></span>${nt(e,n,r)}<span class="now">${(0,s.js)((0,h.au)(x(e.values),i))}</span><span class="changed">${c}</span></li>`}a(ft,"timerHtml")})};export{vt as id,wt as ids,kt as modules};
