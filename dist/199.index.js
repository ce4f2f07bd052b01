var it=Object.defineProperty;var o=(F,y)=>it(F,"name",{value:y,configurable:!0});const st=199,lt=[199],dt={88199:((F,y,c)=>{c.d(y,{renderHistory:o(()=>X,"renderHistory")});var j=c(47473),d=c(74255),V=c(23185),m=c(86119),W=c(80573),Y=c(93769);const D=`${Y.m}
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
svg .step{stroke-width:2px;stroke-dasharray:2 3}
svg .step.bad{stroke:var(--bad)}svg .step.good{stroke:var(--good)}
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
[hidden]{display:none!important}
input:focus-visible{outline:3px solid var(--link);outline-offset:2px}
@media (max-width:40rem){.timer{grid-template-columns:1fr auto}.timer .spark{grid-column:1/-1;grid-row:2}.timer .changed{grid-column:1/-1}}
`;var g=c(59127),u=c(4009),b=c(22707),$=c(75261);const x=10,L=100;function I(t,e,n,r){const{values:l,limits:i}=t,s=(0,j.uF)(t.metric),p=(0,u.dY)(t),v=k(l),h=k(i??[]),a=z(t),f=l.map((H,E)=>{const w=e[E];if(H===null||!w)return"";const N=w.acceptedBy!==void 0?" accepted":w.verdict==="failed"?" bad":"",ot=`${(0,g.le)(w)}: ${(0,m.au)(H,s)}${N===""?"":`, ${(0,g.nt)(w)}`}`;return`<path class="dot${N}" d="M${S(E)} ${q(H,a)}h0"><title>${(0,d.js)(ot,200)}</title></path>`}),A=[`highest ${(0,d.js)((0,m.au)(T(l),s))}`,...h===void 0?[]:[`<span><i class="limit"></i>limit ${(0,d.js)((0,m.au)(h,s))}</span>`]];return`<figure class="card"><figcaption>${(0,d.js)(p)}<b>${(0,d.js)((0,m.au)(v,s))}</b><span class="legend">${A.join(" ")}</span></figcaption>
${M(t,n,{id:r,kind:"plot",dots:f.join("")})}</figure>`}o(I,"seriesChart");function J(t,e,n){return M(t,e,{id:n,kind:"spark",dots:""})}o(J,"sparkline");function k(t){return t.at(-1)??void 0}o(k,"latestOf");function M(t,e,{id:n,kind:r,dots:l}){const{values:i,limits:s=[]}=t,p=z(t),v=e.map(a=>{const f=S(a.run)-x/2;return`<path class="step ${(0,u.hx)(a)}" d="M${f} 0V${L}"/>`}),h=s.length===0?"":`<path class="limit" d="${R(s,p)}"/>`;return`<svg class="${r}" role="img" aria-labelledby="${n}" viewBox="0 0 ${i.length*x} ${L}" preserveAspectRatio="none"><title id="${n}">${(0,d.js)(K(t,e),300)}</title>${h}${v.join("")}<path class="line" d="${R(i,p)}"/>${l}</svg>`}o(M,"svg");function K(t,e){const n=(0,j.uF)(t.metric),r=t.values.filter(s=>s!==null),l=`between ${(0,m.au)(P(r),n)} and ${(0,m.au)(T(r),n)}`,i=e.map(s=>`, ${(0,u.L6)(s)} from run ${s.run+1} on`);return`${t.name??(0,u.dY)(t)} in ${r.length} of ${t.values.length} runs: ${l}${i.join("")}`}o(K,"describe");function R(t,e){let n=!1,r="";for(const[l,i]of t.entries())i!==null&&(r+=`${n?"L":"M"}${S(l)} ${q(i,e)}${n?"":"h0"}`),n=i!==null;return r}o(R,"lineOf");function S(t){return t*x+x/2}o(S,"x");function q(t,e){return Math.round((1-t/e)*L*10)/10}o(q,"y");function z({values:t,limits:e=[]}){const n=T([...t,...e])??0;return n>0?n*1.08:1}o(z,"topOf");function T(t){return t.reduce((e,n)=>n===null||(e??n)>n?e:n,void 0)}o(T,"highestOf");function P(t){return t.reduce((e,n)=>(e??n)<n?e:n,void 0)}o(P,"lowestOf");var O=c(36288);const C=1e3,U=`(()=>{
const box=document.getElementById('search'),input=box.querySelector('input'),found=box.querySelector('output')
const rows=[...document.querySelectorAll('.timer')].map(row=>[row,row.querySelector('.name').textContent.toLowerCase()])
box.hidden=false
input.addEventListener('input',()=>{
const wanted=input.value.trim().toLowerCase()
let count=0
for(const [row,name] of rows){row.hidden=!name.includes(wanted);if(!row.hidden)count++}
found.textContent=wanted===''?'':count+' of '+rows.length
})
})()`;function X(t,e){const{repository:n}=t.step,r=e.series.some(({name:l})=>l!==void 0);return(0,$.X)({title:(0,u.f4)(e),style:D,script:r?U:void 0,tone:"plain",tag:`Load tests${n===void 0?"":` of ${(0,d.js)(n,140)}`}`,below:[`<p>${(0,d.js)((0,u.it)(e))}</p>`,G(t)],sections:Q(t,e)})}o(X,"renderHistory");function G({step:t}){const e=(0,d.Dy)(t.workflowRunUrl);return e===void 0?"":`<p class="links">${(0,b.eq)("Workflow run that wrote this page",e)}</p>`}o(G,"workflowLink");function Q(t,e){const n="The outcome file has them all.";return[(0,b.o1)("Notes",t.notes,[]),(0,$.u)("Key figures",Z(e)+_(e)),(0,$.u)("Steps",(0,b.qj)((0,g.Ph)(t,e),n)+tt(e)),(0,$.u)("Timers",et(e)),(0,$.u)("Runs",(0,b.qj)((0,g.cS)(t,e),n))]}o(Q,"sections");function Z(t){const e=(0,u.J8)(t).map((n,r)=>I(n,t.runs,B(t,n),`key-${r+1}`));return e.length===0?"":`<div class="charts">${e.join(`
`)}</div>`}o(Z,"keyCharts");function _({runs:t,steps:e,series:n}){if(n.length===0)return"";const r=o(i=>e.some(s=>(0,u.hx)(s)===i),"has");return`<p class="legend">${[...r("bad")?['<span><i class="worse"></i>step to worse</span>']:[],...r("good")?['<span><i class="better"></i>step to better</span>']:[],...t.some(({verdict:i})=>i==="failed")?['<span><i class="dot bad"></i>gates failed</span>']:[],...t.some(({acceptedBy:i})=>i!==void 0)?['<span><i class="dot accepted"></i>accepted</span>']:[],"<span>All charts begin at 0. A gap is a run that did not measure the figure.</span>"].join(" ")}</p>`}o(_,"legend");function tt({runs:t,steps:e}){if(t.length===0)return"";const n="A step is marked at a run if it and the next one both differ from the runs before them by more than noise and 10 %, in the same direction. The latest run cannot have one yet.";return`<p class="quiet">${e.length===0?`There is none. ${n}`:n}</p>`}o(tt,"stepNote");function B({steps:t},e){return t.filter(n=>(0,u.yW)(n,e))}o(B,"stepsOf");function et(t){const e=O.ty.map(r=>nt(t,r)).filter(r=>r!=="");return e.length===0?"":`<p class="search" id="search" hidden><label for="wanted">Find timers</label> <input id="wanted" type="search" autocomplete="off"> <output for="wanted"></output></p>
${e.join(`
`)}`}o(et,"timersHtml");function nt(t,e){const n=t.series.filter(a=>a.kind===e&&a.name!==void 0).map(a=>({series:a,steps:B(t,a)})),[r]=n;if(!r)return"";const l=o(({steps:a})=>a.at(-1)?.run??-1,"newest"),i=o(({series:a})=>k(a.values)??-1,"value");n.sort((a,f)=>l(f)-l(a)||i(f)-i(a));const s=n.filter(({steps:a})=>a.length>0).length,p=`${O.ER[e]}, ${(0,V.Vu)(r.series.metric)}: ${(0,m.ku)(n.length)}${s>0?`, of which ${(0,m.ku)(s)} with steps`:""}`,v=n.slice(0,C).map(({series:a,steps:f},A)=>rt(t,a,f,`${e}-${A+1}`)),h=n.length>C?`<p class="quiet">The first ${(0,m.ku)(C)} of ${(0,W.L)(n.length,O.$1[e])} are shown. The outcome file has them all.</p>`:"";return`<details open><summary>${(0,d.js)(p)}</summary>
<ul class="timers">
${v.join(`
`)}
</ul>${h}</details>`}o(nt,"kindHtml");function rt(t,e,n,r){const l=(0,j.uF)(e.metric),i=n.at(-1),s=i&&t.runs[i.run],p=i&&s?`<span class="${(0,u.hx)(i)}">${(0,d.js)((0,u.L6)(i))}</span> from ${(0,d.js)((0,g.le)(s))} on`:"";return`<li class="timer"><span class="name code"><bdi>${(0,d.js)(e.name??"")}</bdi></span>${J(e,n,r)}<span class="now">${(0,d.js)((0,m.au)(k(e.values),l))}</span><span class="changed">${p}</span></li>`}o(rt,"timerHtml")})};export{st as id,lt as ids,dt as modules};
