//! The style sheet: light and dark by the reader's own setting, one column on a
//! phone, and nothing lost on paper.

use super::colours::classes;

/// The whole sheet.
pub fn sheet() -> String {
    format!(
        "{LIGHT}{}@media(prefers-color-scheme:dark){{{DARK}{}}}{REST}",
        classes(false),
        classes(true),
    )
}

const LIGHT: &str = "\
:root{color-scheme:light dark;--page:#f7f7f4;--card:#fff;--line:#dfdfd8;--text:#1c1c1e;--soft:#5c5d63;\
--link:#1d5fb4;--error:#b3201d;--error-bg:#fbe7e5;--warning:#855500;--warning-bg:#fbf0d9;\
--good:#14713a;--good-bg:#e4f3e8;--chip:#eeeeea;--own:#f0f0ec;--alike:#a8500a}";

const DARK: &str = "\
:root{--page:#121214;--card:#1b1b1f;--line:#37373e;--text:#ececee;--soft:#a9aab1;\
--link:#85aee2;--error:#ff9a92;--error-bg:#42191a;--warning:#e8c06a;--warning-bg:#382d12;\
--good:#6fd594;--good-bg:#143120;--chip:#2a2a30;--own:#25252a;--alike:#f5a965}";

const REST: &str = "\
*{box-sizing:border-box}\
html{scroll-padding-top:12px}\
body{margin:0;background:var(--page);color:var(--text);\
font:16px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto Sans\",sans-serif}\
main{max-width:1040px;margin:0 auto;padding:28px 20px 80px}\
h1{font-size:1.9rem;line-height:1.2;margin:0 0 4px;letter-spacing:-.01em}\
h2{font-size:1.25rem;margin:44px 0 10px}\
h3{font-size:1rem;margin:20px 0 8px}\
p{margin:0 0 10px}a{color:var(--link)}bdi{overflow-wrap:anywhere}\
.soft{color:var(--soft)}.small{font-size:.875rem}.bad,.error>b{color:var(--error)}\
.mono,.marker,.ctl{font-family:ui-monospace,\"SF Mono\",Menlo,Consolas,monospace}\
.mono{font-size:.8rem}\
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}\
.verdict{display:flex;gap:14px;align-items:center;border-radius:12px;padding:14px 18px;margin:18px 0;\
background:var(--chip)}\
.verdict p{margin:0}.verdict .mark{font-size:1.4rem;line-height:1;font-weight:700}\
.verdict.good{background:var(--good-bg);color:var(--good)}\
.verdict.warning{background:var(--warning-bg);color:var(--warning)}\
.verdict.error{background:var(--error-bg);color:var(--error)}\
.cards,.grounds{display:grid;gap:14px;grid-template-columns:repeat(auto-fill,minmax(min(100%,220px),1fr));margin:0 0 14px}\
.grounds{grid-template-columns:repeat(auto-fill,minmax(min(100%,300px),1fr))}\
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:14px 16px;min-width:0}\
.card h2,.card h3{font-size:.95rem;margin:0;color:var(--soft);font-weight:600}\
.card p{margin:2px 0 0}.card ul{margin:6px 0 0;padding:0;list-style:none}\
.card .big{font-size:1.8rem;font-weight:680;line-height:1.2;color:var(--good);font-variant-numeric:tabular-nums}\
.card.bad{color:inherit}.card.bad .big{color:var(--error)}.card.none .big{color:var(--soft)}\
.scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:12px}\
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\
th,td{padding:8px 12px;text-align:left;border-bottom:1px solid var(--line);vertical-align:middle}\
tr:last-child>*{border-bottom:0}\
thead th{font-size:.82rem;color:var(--soft);font-weight:600;white-space:nowrap}\
.n{text-align:right}td.path{min-width:12rem}\
.sources{background:var(--card);border:1px solid var(--line);border-radius:12px;border-collapse:separate;border-spacing:0}\
.sources td:nth-child(n+3),.sources thead th:nth-child(n+3){text-align:right;width:1%;white-space:nowrap}\
.sources tbody th{font-weight:600;max-width:18rem}\
.sources tbody tr{color:inherit}\
.dot{display:inline-block;width:11px;height:11px;border-radius:3px;background:var(--c);margin-right:9px}\
.bar{width:34%}.bar svg{display:block;width:100%;height:14px;border-radius:3px}\
.intact{fill:var(--c)}.lost{fill:var(--error)}\
.unfenced{fill:var(--error);opacity:.45}\
.chips{display:flex;flex-wrap:wrap;gap:6px;margin:0 0 12px;padding:0;list-style:none}\
.chip{display:inline-block;border-radius:6px;padding:1px 8px;font-size:.8rem;background:var(--chip);white-space:nowrap}\
.chip.error{background:var(--error-bg);color:var(--error);font-weight:650}\
.chip.warning{background:var(--warning-bg);color:var(--warning);font-weight:650}\
details.list{background:var(--card);border:1px solid var(--line);border-radius:12px}\
summary{cursor:pointer;font-weight:600;padding:10px 16px}\
.findings{list-style:none;margin:0;padding:0}\
.findings li{border-top:1px solid var(--line);padding:11px 16px}\
.findings p{margin:0 0 3px;overflow-wrap:anywhere}\
.tag{display:inline-block;border:1px solid var(--line);border-radius:6px;padding:0 7px;font-size:.82rem;max-width:100%;overflow-wrap:anywhere}\
.legend{display:flex;flex-wrap:wrap;gap:7px 22px;margin:0 0 18px;padding:0;list-style:none;font-size:.85rem;color:var(--soft)}\
.legend li{display:flex;gap:7px;align-items:center}\
.swatch{display:inline-block;width:22px;height:15px;border-radius:3px;background:#2458c926;border-left:4px solid var(--link)}\
.notice{background:var(--warning-bg);color:var(--warning);border-radius:10px;padding:10px 16px}\
.gap{text-align:center;margin:12px 0}\
.msg{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:12px 16px 14px;margin:0 0 12px}\
.msg.error{border-color:var(--error)}.msg.warning{border-color:var(--warning)}\
.msg:target{outline:3px solid var(--link);outline-offset:2px}\
.msg>header{display:flex;flex-wrap:wrap;gap:4px 9px;align-items:baseline;margin-bottom:8px}\
.role{font-weight:680}.meta{margin-left:auto;overflow-wrap:anywhere}\
.ground,.pointer{margin:0 0 6px}.ground.error{color:var(--error);font-weight:600}\
.found{margin:0 0 6px;font-size:.9rem}\
.text{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:isolate;line-height:1.55}\
.block{background:var(--t);border-left:5px solid var(--c);border-radius:4px 10px 10px 4px;padding:8px 14px 9px;margin:4px 0}\
.block .caption{color:var(--c);font-weight:650}\
.caption{margin:0 0 2px;font-size:.85rem}\
.marker{margin:0;font-size:.75rem;color:var(--c);opacity:.999;overflow-wrap:anywhere}\
.block .text{padding:5px 0}\
.own{border:1px dashed var(--soft);border-radius:8px;background:var(--own);padding:7px 14px 9px;margin:6px 0}\
.voice{display:inline-block;border:1px dashed var(--soft);border-radius:6px;padding:0 7px;font-size:.8rem;color:var(--text);font-style:italic}\
.broken{border:2px solid var(--error);border-radius:8px;padding:8px 14px;margin:4px 0}\
.broken>.caption{color:var(--error);font-weight:650}\
.flaws{margin:8px 0 0;padding-left:20px;color:var(--error)}\
mark{border-radius:4px;padding:1px 3px;color:inherit;background:var(--chip);-webkit-box-decoration-break:clone;box-decoration-break:clone}\
.live{background:var(--error-bg);color:var(--error);outline:2px solid var(--error);font-weight:600}\
.forged{background:var(--card);color:var(--error);outline:1.5px solid var(--error)}\
.forged::before{content:\"forged\";font-size:.7rem;font-weight:650;margin-right:5px;border-right:1.5px solid var(--error);padding-right:4px}\
.mention{outline:1.5px dotted var(--soft)}\
.alike{text-decoration:underline wavy var(--alike) 2px;text-underline-offset:4px}\
.ctl{font-size:.68em;border:1px solid currentColor;border-radius:3px;padding:0 3px;margin:0 1px;vertical-align:.1em;opacity:.85}\
@media(max-width:640px){main{padding:20px 12px 60px}h1{font-size:1.55rem}.meta{margin-left:0;width:100%}\
.msg{padding:10px 12px 12px}.block,.own,.broken{padding-left:10px;padding-right:10px}\
.sources,.sources tbody,.sources tr,.sources th,.sources td{display:block;width:auto}.sources thead{display:none}\
.sources tr{padding:10px 12px;border-bottom:1px solid var(--line);display:flex;flex-wrap:wrap;gap:2px 16px;align-items:baseline}\
.sources tr:last-child{border-bottom:0}.sources tbody th,.sources td{border:0;padding:0;max-width:none}\
.sources tbody th{width:100%}.sources .bar{width:100%;padding:6px 0 4px}\
.sources td:nth-child(n+3){width:auto;font-size:.875rem}.sources td[data-name]::before{content:attr(data-name) \" \";color:var(--soft)}}\
@media print{main{max-width:none;padding:0}.msg,.card,.findings li{break-inside:avoid}\
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}a{color:inherit;text-decoration:none}}";
