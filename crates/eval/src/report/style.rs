//! The style sheet of the HTML report.

/// Light and dark by the reader's own setting; one column on a phone.
pub(super) const CSS: &str = "\
:root{color-scheme:light dark;--page:#f7f7f4;--card:#fff;--line:#dfdfd8;--text:#1c1c1e;\
--soft:#5f6066;--raw:#b45309;--fenced:#2458c9;--holds:#14713a;--worse:#b3201d;--same:#5f6066;\
--few:#8a5a00;--holds-bg:#e4f3e8;--worse-bg:#fbe4e2;--same-bg:#eeeeea;--few-bg:#f8efd9;\
--note-bg:#fff3d6;--note:#5c4300}\
@media(prefers-color-scheme:dark){:root{--page:#121214;--card:#1b1b1f;--line:#34343a;\
--text:#ececee;--soft:#a5a6ad;--raw:#f0a04b;--fenced:#7fb0ff;--holds:#6fd594;--worse:#ff8f86;\
--same:#a5a6ad;--few:#e3bd62;--holds-bg:#143120;--worse-bg:#42191a;--same-bg:#27272c;\
--few-bg:#352c14;--note-bg:#3a2f12;--note:#f2d998}}\
*{box-sizing:border-box}\
body{margin:0;background:var(--page);color:var(--text);\
font:16px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto Sans\",sans-serif}\
main{max-width:1240px;margin:0 auto;padding:28px 20px 60px}\
h1{font-size:1.9rem;line-height:1.2;margin:0 0 6px;letter-spacing:-.01em}\
h2{font-size:1.2rem;margin:40px 0 12px}\
h3{font-size:1rem;margin:0}\
p{margin:0 0 10px}a{color:var(--fenced)}\
.soft{color:var(--soft)}.small{font-size:.875rem}\
.note{background:var(--note-bg);color:var(--note);border-radius:10px;padding:12px 16px;margin:16px 0}\
.note b{display:block}\
.facts{display:flex;flex-wrap:wrap;gap:4px 22px;margin:10px 0 0;padding:0;list-style:none}\
.facts b{font-weight:600}\
.grid-s,.grid-m{display:grid;gap:14px}\
.grid-s{grid-template-columns:repeat(auto-fill,minmax(180px,1fr))}\
.grid-m{grid-template-columns:repeat(auto-fill,minmax(min(100%,350px),1fr))}\
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:14px 16px;min-width:0}\
.card .big{font-size:1.55rem;font-weight:650;line-height:1.25;font-variant-numeric:tabular-nums}\
.card p{margin:2px 0 0}\
.card.bad{border-color:var(--worse);margin-top:14px}.card.bad h3{color:var(--worse)}\
.card.bad ul{margin:6px 0 0;padding-left:20px}\
.chips{display:flex;flex-wrap:wrap;gap:5px;margin-top:9px}\
.chip{border-radius:6px;padding:1px 8px;font-size:.8rem;white-space:nowrap}\
.chip.holds{background:var(--holds-bg);color:var(--holds)}\
.chip.worse{background:var(--worse-bg);color:var(--worse);font-weight:650}\
.chip.same{background:var(--same-bg);color:var(--same)}\
.chip.few{background:var(--few-bg);color:var(--few)}\
.scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:12px}\
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\
th,td{padding:7px 12px;text-align:left;border-bottom:1px solid var(--line);white-space:nowrap;vertical-align:top}\
tr:last-child>*{border-bottom:0}\
thead th{font-size:.85rem;color:var(--soft);font-weight:600}\
tbody th{font-weight:550;position:sticky;left:0;background:var(--card)}\
tr.total:not(.total~.total)>*{border-top:2px solid var(--line)}\
td .chip{margin-left:7px}\
.chart svg{display:block;width:100%;height:auto;margin-top:8px;overflow:visible}\
.chart text{font-size:12.5px;fill:var(--text)}\
.chart .tick{font-size:11px;fill:var(--soft)}\
.chart .rate{font-variant-numeric:tabular-nums}\
.chart .grid{stroke:var(--line);stroke-width:1}\
.chart .base{stroke:var(--raw);stroke-width:1;stroke-dasharray:3 3;opacity:.75}\
.chart g line{stroke-width:7;stroke-linecap:round;opacity:.33}\
.chart .raw line{stroke:var(--raw)}.chart .raw circle{fill:var(--raw)}\
.chart .fenced line{stroke:var(--fenced)}.chart .fenced circle{fill:var(--fenced)}\
.chart text.holds{fill:var(--holds)}.chart text.worse{fill:var(--worse);font-weight:650}\
.chart text.same{fill:var(--same)}.chart text.few{fill:var(--few)}\
.key{display:flex;flex-wrap:wrap;gap:4px 20px;margin:0 0 12px}\
.dot{display:inline-block;width:9px;height:9px;border-radius:50%;margin-right:6px}\
.dot.raw{background:var(--raw)}.dot.fenced{background:var(--fenced)}\
details{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:10px 16px;margin:10px 0}\
summary{cursor:pointer;font-weight:600}\
blockquote{margin:8px 0 14px;padding:6px 12px;border-left:3px solid var(--line);\
white-space:pre-wrap;overflow-wrap:anywhere;font-size:.9rem}\
code{font-family:ui-monospace,\"SF Mono\",Menlo,Consolas,monospace;font-size:.9em;overflow-wrap:anywhere}\
@media(max-width:600px){main{padding:20px 14px 40px}h1{font-size:1.55rem}th,td{padding:6px 10px}}\
@media print{.card,.scroll,details{break-inside:avoid}}";
