var at=Object.defineProperty;var o=(F,y)=>at(F,"name",{value:y,configurable:!0});const st=199,lt=[199],dt={88199:((F,y,c)=>{c.d(y,{renderHistory:o(()=>G,"renderHistory")});var j=c(47473),d=c(74255),N=c(23185),m=c(86119),V=c(80573),W=c(93769);const Y=`${W.m}
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
[hidden]{display:none!important}
input:focus-visible{outline:3px solid var(--link);outline-offset:2px}
@media (max-width:40rem){.timer{grid-template-columns:1fr auto}.timer .spark{grid-column:1/-1;grid-row:2}.timer .changed{grid-column:1/-1}}
`;var g=c(59127),u=c(4009),b=c(22707),$=c(75261);const k=10,H=100;function I(t,e,n,r){const{values:l,limits:a}=t,s=(0,j.uF)(t.metric),p=(0,u.dY)(t),v=x(l),h=x(a??[]),i=z(t),f=l.map((A,E)=>{const w=e[E];if(A===null||!w)return"";const D=w.acceptedBy!==void 0?" accepted":w.verdict==="failed"?" bad":"",ot=`${(0,g.le)(w)}: ${(0,m.au)(A,s)}${D===""?"":`, ${(0,g.nt)(w)}`}`;return`<path class="dot${D}" d="M${T(E)} ${q(A,i)}h0"><title>${(0,d.js)(ot,200)}</title></path>`}),S=[`highest ${(0,d.js)((0,m.au)(C(l),s))}`,...h===void 0?[]:[`<span><i class="limit"></i>limit ${(0,d.js)((0,m.au)(h,s))}</span>`]];return`<figure class="card"><figcaption>${(0,d.js)(p)}<b>${(0,d.js)((0,m.au)(v,s))}</b><span class="legend">${S.join(" ")}</span></figcaption>
${M(t,n,{id:r,kind:"plot",dots:f.join("")})}</figure>`}o(I,"seriesChart");function J(t,e,n){return M(t,e,{id:n,kind:"spark",dots:""})}o(J,"sparkline");function x(t){return t.at(-1)??void 0}o(x,"latestOf");function M(t,e,{id:n,kind:r,dots:l}){const{values:a,limits:s=[]}=t,p=z(t),v=e.map(i=>{const f=T(i.run)-k/2;return`<path class="change ${(0,u.Hv)(i)}" d="M${f} 0V${H}"/>`}),h=s.length===0?"":`<path class="limit" d="${R(s,p)}"/>`;return`<svg class="${r}" role="img" aria-labelledby="${n}" viewBox="0 0 ${a.length*k} ${H}" preserveAspectRatio="none"><title id="${n}">${(0,d.js)(K(t,e),300)}</title>${h}${v.join("")}<path class="line" d="${R(a,p)}"/>${l}</svg>`}o(M,"svg");function K(t,e){const n=(0,j.uF)(t.metric),r=t.values.filter(s=>s!==null),l=`between ${(0,m.au)(U(r),n)} and ${(0,m.au)(C(r),n)}`,a=e.map(s=>`, ${(0,u.w0)(s)} from run ${s.run+1} on`);return`${t.name??(0,u.dY)(t)} in ${r.length} of ${t.values.length} runs: ${l}${a.join("")}`}o(K,"describe");function R(t,e){let n=!1,r="";for(const[l,a]of t.entries())a!==null&&(r+=`${n?"L":"M"}${T(l)} ${q(a,e)}${n?"":"h0"}`),n=a!==null;return r}o(R,"lineOf");function T(t){return t*k+k/2}o(T,"x");function q(t,e){return Math.round((1-t/e)*H*10)/10}o(q,"y");function z({values:t,limits:e=[]}){const n=C([...t,...e])??0;return n>0?n*1.08:1}o(z,"topOf");function C(t){return t.reduce((e,n)=>n===null||(e??n)>n?e:n,void 0)}o(C,"highestOf");function U(t){return t.reduce((e,n)=>(e??n)<n?e:n,void 0)}o(U,"lowestOf");var L=c(36288);const O=1e3,X=`(()=>{
const box=document.getElementById('search'),input=box.querySelector('input'),found=box.querySelector('output')
const rows=[...document.querySelectorAll('.timer')].map(row=>[row,row.querySelector('.name').textContent.toLowerCase()])
box.hidden=false
input.addEventListener('input',()=>{
const wanted=input.value.trim().toLowerCase()
let count=0
for(const [row,name] of rows){row.hidden=!name.includes(wanted);if(!row.hidden)count++}
found.textContent=wanted===''?'':count+' of '+rows.length
})
})()`;function G(t,e){const{repository:n}=t.step,r=e.series.some(({name:l})=>l!==void 0);return(0,$.X)({title:(0,u.f4)(e),style:Y,script:r?X:void 0,tone:"plain",tag:`Load tests${n===void 0?"":` of ${(0,d.js)(n,140)}`}`,below:[`<p>${(0,d.js)((0,u.it)(e))}</p>`,P(t)],sections:Q(t,e)})}o(G,"renderHistory");function P({step:t}){const e=(0,d.Dy)(t.workflowRunUrl);return e===void 0?"":`<p class="links">${(0,b.eq)("Workflow run that wrote this page",e)}</p>`}o(P,"workflowLink");function Q(t,e){const n="The outcome file has them all.";return[(0,b.o1)("Notes",t.notes,[]),(0,$.u)("Key figures",Z(e)+_(e)),(0,$.u)("Changes",(0,b.qj)((0,g.lD)(t,e),n)+tt(e)),(0,$.u)("Timers",et(e)),(0,$.u)("Runs",(0,b.qj)((0,g.cS)(t,e),n))]}o(Q,"sections");function Z(t){const e=(0,u.J8)(t).map((n,r)=>I(n,t.runs,B(t,n),`key-${r+1}`));return e.length===0?"":`<div class="charts">${e.join(`
`)}</div>`}o(Z,"keyCharts");function _({runs:t,changePoints:e,series:n}){if(n.length===0)return"";const r=o(a=>e.some(s=>(0,u.Hv)(s)===a),"has");return`<p class="legend">${[...r("bad")?['<span><i class="worse"></i>change for the worse</span>']:[],...r("good")?['<span><i class="better"></i>change for the better</span>']:[],...t.some(({verdict:a})=>a==="failed")?['<span><i class="dot bad"></i>gates failed</span>']:[],...t.some(({acceptedBy:a})=>a!==void 0)?['<span><i class="dot accepted"></i>accepted</span>']:[],"<span>All charts begin at 0. A gap is a run that did not measure the figure.</span>"].join(" ")}</p>`}o(_,"legend");function tt({runs:t,changePoints:e}){if(t.length===0)return"";const n="A change is marked at a run if it and the next one both differ from the runs before them by more than noise and 10%, in the same direction. The latest run cannot have one yet.";return`<p class="quiet">${e.length===0?`There is none. ${n}`:n}</p>`}o(tt,"changeNote");function B({changePoints:t},e){return t.filter(n=>(0,u.yW)(n,e))}o(B,"changesOf");function et(t){const e=L.ty.map(r=>nt(t,r)).filter(r=>r!=="");return e.length===0?"":`<p class="search" id="search" hidden><label for="wanted">Find timers</label> <input id="wanted" type="search" autocomplete="off"> <output for="wanted"></output></p>
${e.join(`
`)}`}o(et,"timersHtml");function nt(t,e){const n=t.series.filter(i=>i.kind===e&&i.name!==void 0).map(i=>({series:i,changes:B(t,i)})),[r]=n;if(!r)return"";const l=o(({changes:i})=>i.at(-1)?.run??-1,"newest"),a=o(({series:i})=>x(i.values)??-1,"value");n.sort((i,f)=>l(f)-l(i)||a(f)-a(i));const s=n.filter(({changes:i})=>i.length>0).length,p=`${L.ER[e]}, ${(0,N.Vu)(r.series.metric)}: ${(0,m.ku)(n.length)}${s>0?`, of which ${(0,m.ku)(s)} changed`:""}`,v=n.slice(0,O).map(({series:i,changes:f},S)=>rt(t,i,f,`${e}-${S+1}`)),h=n.length>O?`<p class="quiet">The first ${(0,m.ku)(O)} of ${(0,V.L)(n.length,L.$1[e])} are shown. The outcome file has them all.</p>`:"";return`<details open><summary>${(0,d.js)(p)}</summary>
<ul class="timers">
${v.join(`
`)}
</ul>${h}</details>`}o(nt,"kindHtml");function rt(t,e,n,r){const l=(0,j.uF)(e.metric),a=n.at(-1),s=a&&t.runs[a.run],p=a&&s?`<span class="${(0,u.Hv)(a)}">${(0,d.js)((0,u.w0)(a))}</span> from ${(0,d.js)((0,g.le)(s))} on`:"";return`<li class="timer"><span class="name code"><bdi>${(0,d.js)(e.name??"")}</bdi></span>${J(e,n,r)}<span class="now">${(0,d.js)((0,m.au)(x(e.values),l))}</span><span class="changed">${p}</span></li>`}o(rt,"timerHtml")})};export{st as id,lt as ids,dt as modules};
