//! Which lanes a fence call can reach, as the source says.

mod tree;

use murmur_fence_lanes::Registry;
use murmur_fence_lanes::scan::{Callee, Options, Report, scan};
use tree::{LANES, Tree};

fn registry() -> Registry {
    Registry::parse(LANES).unwrap()
}

/// The untrusted lanes that are reached.
fn reached(report: &Report) -> Vec<&str> {
    let reached =
        report.lanes.iter().filter(|lane| lane.lane.trust.is_untrusted() && lane.enforced);
    reached.map(|lane| lane.lane.name.as_str()).collect()
}

fn scan_one(path: &str, text: &str) -> Report {
    let tree = Tree::of(&[(path, text)]);
    scan(&registry(), tree.path(), &Options::default()).unwrap()
}

const ALL: &[&str] = &["results", "memory", "page"];

/// Each case reaches exactly these lanes.
fn check(path: &str, cases: &[(&str, &[&str])]) {
    for (text, lanes) in cases {
        let report = scan_one(path, text);
        assert_eq!(reached(&report), *lanes, "{text}\n{}", report.to_human("lanes.toml", "."));
        assert!(report.with_errors.is_empty(), "{text}");
    }
}

#[test]
fn a_literal_reaches_its_lane_and_a_variable_reaches_all() {
    check(
        "a.ts",
        &[
            ("fence('results', x);", &["results"]),
            ("fence(`results`, x);", &["results"]),
            ("fence(\"results\" as Lane, x);", &["results"]),
            ("fence(lane, x);", ALL),
            ("fence(part.lane, x);", ALL),
            ("fence(fresh(), x);", ALL),
            ("trustFence(laneTrustOf('results'));", &["results"]),
            ("trustFence(laneTrustOf(lane));", ALL),
            ("const f = skill ? '' : trustFence(deps.laneTrustOf('results'));", &["results"]),
            ("out.wrapUntrusted('page', x); out.wrapUntrusted('memory', x);", &["memory", "page"]),
            ("trustLabelFor('page'); untrustedBanner('memory'); provenanceNote('results');", ALL),
            ("fence(cond ? 'results' : 'page', x);", &["results", "page"]),
            ("fence(given ?? 'page', x);", ALL),
            ("fence(null, x); fence(undefined, x); fence(3, x); fence(true);", &[]),
            ("fence('task', x); fence('nothing', x);", &[]),
            ("fence('tool');", &[]),
            ("log(laneTrustOf('page')); log(laneTrustOf(lane));", &[]),
            ("textwrap.wrap(line, 70); wrap(a, b); e.wrap(a, b); fence.wrap(line);", &[]),
            ("fence.wrap('page', x); this.outputFence.wrap('memory', x);", &["memory", "page"]),
            ("import { wrap } from '../lib/fence.js'; wrap('page', x);", &["page"]),
            ("import { wrap as w, wrap } from 'text'; wrap('page', x);", &[]),
            ("const { wrap } = require('./fence'); wrap('page', x);", &["page"]),
            ("import * as fence from 'fence'; fence.wrap('page', x);", &["page"]),
            ("new fence('page'); Fence(lane, x);", &["page"]),
        ],
    );
}

#[test]
fn typescript_is_followed_through_names() {
    check(
        "a.ts",
        &[
            ("const l = 'results'; fence(l, x);", &["results"]),
            ("const t = laneTrustOf('results'); trustFence(t);", &["results"]),
            ("let l = 'results'; if (x) l = 'page'; fence(l, x);", &["results", "page"]),
            ("let l = 'results'; l = next(); fence(l, x);", ALL),
            ("const L = { tool: 'results', page: 'page' }; fence(L.tool, x);", &["results"]),
            ("const L = { tool: 'results' } as const; fence(L['tool'], x);", &["results"]),
            ("enum L { Tool = 'results', Page = 'page' } fence(L.Page, x);", &["page"]),
            ("import { Lane } from './lane'; fence(Lane.Page, x); fence(LANE, x);", &[]),
            ("fence(TRUST['page'], x);", &["page"]),
            ("fence(TRUST[lane].fence, x);", ALL),
            ("for (const l of ['results', 'page']) fence(l, x);", &["results", "page"]),
            (
                "const ls = ['results', 'page']; for (const l of ls) fence(l, x);",
                &["results", "page"],
            ),
            ("const ls = []; ls.push('page'); for (const l of ls) fence(l, x);", ALL),
            ("for (const { lane } of [{ lane: 'page', text }]) fence(lane, text);", &["page"]),
            (
                "for (const [lane, text] of [['page', p], ['memory', m]]) fence(lane, text);",
                &["memory", "page"],
            ),
            ("['page'].map((l) => fence(l, x));", &["page"]),
            ("const ls = ['page']; ls.forEach(function (l) { fence(l, x); });", &["page"]),
            ("['page'].reduce((out, l) => out + fence(l, x), '');", &["page"]),
            ("['page'].reduce((out, l) => fence(out, l), '');", ALL),
            ("rows.map((row) => fence(row.lane, row.text));", ALL),
            ("const a = b; const b = a; fence(a, x);", &[]),
            ("fence(`${kind}`, x);", ALL),
            ("fence(`res${'ults'}`, x);", &["results"]),
            ("fence('pa' + rest, x);", &["page"]),
            ("fence(`pa${x}ge`);", &["page"]),
            ("fence(`pag${x}age`);", &[]),
            ("fence(rest + 'ory', x);", &["memory"]),
            ("fence({ lane: 'page', text });", &["page"]),
            ("fence(name('page'), x);", &["page"]),
            ("fence(config.get('theme'), x);", ALL),
        ],
    );
}

#[test]
fn a_function_around_a_fence_is_followed_to_its_calls() {
    check(
        "a.ts",
        &[
            (
                "function banner(l) { return trustFence(laneTrustOf(l)); } banner('page');",
                &["page"],
            ),
            (
                "const banner = (l: string) => fence(l, x); banner('page'); banner(`memory`);",
                &["memory", "page"],
            ),
            ("const banner = (l) => fence(l, x); rows.map(banner);", ALL),
            ("const banner = (l) => fence(l, x); f({ render: banner });", ALL),
            ("const banner = (l) => fence(l, x);", &[]),
            ("const banner = (l) => fence(l, x); function g(banner) { rows.map(banner); }", &[]),
            ("function all(parts) { for (const p of parts) fence(p.lane, p.text); }", ALL),
            (
                "function all(parts) { for (const p of parts) fence(p.lane); } all([{ lane: 'page' }]);",
                &["page"],
            ),
            (
                "function put({ lane, text }) { fence(lane, text); } put({ lane: 'page', text });",
                &["page"],
            ),
            ("function put(part) { fence(part.lane, x); } put({ lane: 'page' }); put(part);", ALL),
            (
                "function put(x, { lane: l = 'page' }) { fence(l, x); } put(x, { lane: 'memory' });",
                &["memory"],
            ),
            ("function f(l) { g(l); } function g(l) { fence(l, x); } f('page');", &["page"]),
            ("function f(l) { fence(l, x); f(l + '2'); } f('page');", &["page"]),
            (
                "class P { put(lane, x) { fence(lane, x); } go() { this.put('page', x); } }",
                &["page"],
            ),
            ("class P { put = (lane) => fence(lane, x); } p.put('page');", &["page"]),
            // A method that many classes have is one of the class by its receiver only.
            ("class Prompt { push(lane) { fence(lane, x); } } list.push(item);", &[]),
            ("class Prompt { push(lane) { fence(lane, x); } } prompt.push('page');", &["page"]),
            (
                "class Prompt { push(lane) { fence(lane, x); } } const p = new Prompt(); p.push('page');",
                &["page"],
            ),
            (
                "function outer(l) { return texts.map((t) => fence(l, t)); } outer('page');",
                &["page"],
            ),
        ],
    );
}

#[test]
fn javascript_is_read() {
    check(
        "a.mjs",
        &[
            ("fence('page', x)", &["page"]),
            ("const f = async (l) => { await send(fence(l, x)); }; f('page')", &["page"]),
            ("x?.fence?.('page')", &["page"]),
            ("class P { #put(lane) { fence(lane, x) } go() { this.#put('page') } }", &["page"]),
            ("module.exports.banner = (l) => fence(l, x); lib.banner('page')", &["page"]),
        ],
    );
    check(
        "a.jsx",
        &[(
            "const A = () => <p title={fence('page', x)}>{fence('memory', x)}</p>",
            &["memory", "page"],
        )],
    );
    check("a.tsx", &[("const A = (): X => <p>{fence<string>('page', x)}</p>", &["page"])]);
}

#[test]
fn python_is_read() {
    check(
        "a.py",
        &[
            ("fence('page', x)", &["page"]),
            ("wrap_untrusted(\"\"\"page\"\"\", x)", &["page"]),
            ("wrap_untrusted(text=x, lane='page')", &["page"]),
            ("fence(r'page', x)", &["page"]),
            ("from app.fence import wrap\nwrap('page', x)", &["page"]),
            ("from textwrap import wrap\nwrap(line, 70)\nwrap('page', 70)", &[]),
            ("import textwrap\ntextwrap.wrap(line, 70)", &[]),
            ("fence('pa' 'ge', x)", &["page"]),
            ("fence(f'pa{rest}', x)", &["page"]),
            ("fence(lane, x)", ALL),
            ("fence(None, x)", &[]),
            ("trust_fence(lane_trust_of('page'))", &["page"]),
            ("PAGE = 'page'\nfence(PAGE, x)", &["page"]),
            ("class Lane(str, Enum):\n    PAGE = 'page'\nfence(Lane.PAGE.value, x)", &["page"]),
            ("LANES = {'p': 'page'}\nfence(LANES['p'], x)", &["page"]),
            ("for lane, text in [('page', p)]:\n    fence(lane, text)", &["page"]),
            ("out = [fence(lane, x) for lane in ('page', 'memory')]", &["memory", "page"]),
            ("lane = 'page' if old else 'memory'\nfence(lane, x)", &["memory", "page"]),
            ("fence(lane or 'page', x)", ALL),
            ("def put(lane, x):\n    fence(lane, x)\nput('page', x)", &["page"]),
            ("def put(x, *, lane='page'):\n    fence(lane, x)\nput(x, lane='memory')", &["memory"]),
            (
                "def put(lane: str, x: str = '') -> str:\n    return fence(lane, x)\nput('page')",
                &["page"],
            ),
            (
                "class P:\n  def put(self, lane):\n    fence(lane, x)\n  def go(self):\n    self.put('page')",
                &["page"],
            ),
            (
                "class P:\n  @staticmethod\n  def put(lane):\n    fence(lane, x)\nP.put('page')",
                &["page"],
            ),
            (
                "class P:\n  def go(self):\n    def put(lane):\n      fence(lane, x)\n    put('page')",
                &["page"],
            ),
            ("put = lambda lane: fence(lane, x)\nput('page')", &["page"]),
        ],
    );
}

#[test]
fn rust_is_read() {
    check(
        "a.rs",
        &[
            ("fn f() { murmur_fence::wrap(\"page\", x); }", &["page"]),
            (
                "use murmur_fence::wrap_into; fn f() { wrap_into(&mut out, \"page\", x); }",
                &["page"],
            ),
            (
                "use {murmur_fence::{self, open_marker, wrap}}; fn f() { wrap(\"page\", x); }",
                &["page"],
            ),
            ("use text::wrap; fn f() { wrap(\"page\", x); }", &[]),
            ("fn f() { fence(r#\"page\"#, x); }", &["page"]),
            ("fn f() { fence(&format!(\"pa{rest}\"), x); }", &["page"]),
            ("fn f() { fence(&lane, x); }", ALL),
            ("fn f() { fence(\"page\".to_string().as_str(), x); }", &["page"]),
            ("fn f() { fence(String::from(\"page\"), x)?; }", &["page"]),
            ("const PAGE: &str = \"page\"; fn f() { fence(PAGE, x); }", &["page"]),
            ("fn f() { fence(lanes::PAGE, x); fence(Lane::Page.name(), x); }", &[]),
            (
                "fn f() { for lane in [\"page\", \"memory\"] { fence(lane, x); } }",
                &["memory", "page"],
            ),
            ("fn f() { [\"page\"].iter().for_each(|lane| { fence(lane, x); }); }", &["page"]),
            ("fn f() { for (lane, text) in [(\"page\", p)] { fence(lane, text); } }", &["page"]),
            (
                "fn f() { for Part { lane, .. } in [Part { lane: \"page\", text }] { fence(lane, x); } }",
                &["page"],
            ),
            ("fn f() { println!(\"{}\", fence(\"page\", x)); }", &["page"]),
            ("fn f() { write!(out, \"{}\", g(&fence::wrap(lane, x))).ok(); }", ALL),
            ("fn f() { fence!(\"page\", x); }", &["page"]),
            ("fn put(lane: &str) { fence(lane, x); } fn f() { put(\"page\"); }", &["page"]),
            (
                "fn put(lane: &str) { fence(lane, x); } fn f() { vec![put(\"page\"), put(\"memory\")]; }",
                &["memory", "page"],
            ),
            (
                "impl P { fn put(&self, lane: &str) { fence(lane, x); } fn go(&self) { self.put(\"page\"); } }",
                &["page"],
            ),
            (
                "impl P { fn put(lane: &str) { fence(lane, x); } } fn f() { P::put(\"page\"); }",
                &["page"],
            ),
            (
                "fn f() { let mut p = Assembler::new(&r, &d); p.push(\"page\", x); v.push(y, z); }",
                &["page"],
            ),
            ("fn f() { if let Some(lane) = Some(\"page\") { fence(lane, x); } }", &["page"]),
            ("#[cfg(test)] mod tests { fn f() { fence(lane, x); } }", &[]),
            ("#[test] fn f() { fence(lane, x); }", &[]),
        ],
    );
}

#[test]
fn names_are_followed_into_other_files() {
    let tree = Tree::of(&[
        ("src/lanes.ts", "export const LANES = { page: 'page' };\nexport const MEMORY = 'memory';"),
        ("src/banner.ts", "export function banner(lane) { return trustFence(laneTrustOf(lane)); }"),
        ("src/main.ts", "import * as l from './lanes';\nbanner(LANES.page);\nbanner(l.MEMORY);"),
    ]);
    let report = scan(&registry(), tree.path(), &Options::default()).unwrap();
    assert_eq!(reached(&report), ["memory", "page"]);
    assert_eq!(report.literal_set(), Vec::<&str>::new(), "no literal stands in a call");
}

#[test]
fn a_lane_that_no_call_names_is_found_where_the_registry_has_it() {
    let report = scan_one("a.ts", "fence('results', x); fence('memory', x);");
    let uncovered: Vec<_> =
        report.uncovered().map(|lane| (lane.name.as_str(), lane.place.unwrap().line)).collect();
    assert_eq!(uncovered, [("page", 13)]);
    assert_eq!((report.declared(), report.enforced(), report.is_clean()), (3, 2, false));
}

#[test]
fn the_set_of_literals_is_printed_up_to_the_literal() {
    let report = scan_one(
        "a.ts",
        "trustFence(laneTrustOf('results'));\nx.fence( \"page\" , t);\nfence('page', t);\n\
         fence('page', u);\nlog(deps.trustOf('memory'));\nfence.wrapInto(out, `page`, t);\nfence(lane);\n\
         fence('two words', t);\nconst l = 'memory'; fence(l);\nfence({ text, lane: 'results' });",
    );
    let set = [
        "fence(\"page\"",
        "fence('page'",
        "fence('results'",
        "laneTrustOf('results'",
        "trustOf('memory'",
        "wrapInto(..., `page`",
    ];
    assert_eq!(report.literal_set(), set);
}

#[test]
fn lane_names_without_a_table_are_found_where_they_stand() {
    let report = scan_one(
        "a.ts",
        "fence('pages', x);\ninject('notes', x);\nrow({ lane: 'rows', x });\ntrustOf('trusts');\n\
         fence('tool');\nfence('not a lane', x);\ninject('page');\nfence(x, 'other');\n\
         const b = (l) => fence(l, x); b('derived');\nlist.push('item', x);",
    );
    let found: Vec<_> = report
        .unregistered
        .iter()
        .map(|(lane, call)| (lane.as_str(), call.place.line, call.place.column))
        .collect();
    assert_eq!(
        found,
        [("pages", 1, 1), ("notes", 2, 1), ("rows", 3, 13), ("trusts", 4, 1), ("derived", 9, 31)]
    );
    let python = scan_one("a.py", "emit(lane='one')\nrow = {'lane': 'two'}\ninject('three', x)");
    let lanes: Vec<_> = python.unregistered.iter().map(|(lane, _)| lane.as_str()).collect();
    assert_eq!(lanes, ["one", "two", "three"]);
    let rust = scan_one("a.rs", "fn f() { g(Row { lane: \"one\" }); inject(\"two\", x); }");
    let lanes: Vec<_> = rust.unregistered.iter().map(|(lane, _)| lane.as_str()).collect();
    assert_eq!(lanes, ["one", "two"]);
}

#[test]
fn places_count_characters() {
    let report = scan_one("a.ts", "const ü = 'ä'; fence('page', x);");
    let place = report.literals[0].place;
    assert_eq!((place.line, place.column), (1, 16));
}

#[test]
fn a_projects_own_names_are_added() {
    let text = "spotlight(x, 'page'); p.add('memory', x); q.add('results', x); slot('nope');";
    let tree = Tree::of(&[("a.ts", text)]);
    let mut options = Options::default();
    options.names.fences.push("spotlight:2".parse().unwrap());
    options.names.fences.push("p.add".parse().unwrap());
    options.names.lanes.push("slot".parse().unwrap());
    let report = scan(&registry(), tree.path(), &options).unwrap();
    assert_eq!(reached(&report), ["memory", "page"]);
    assert_eq!(report.unregistered[0].0, "nope");
    for bad in ["", "a:0", "a:x", "a b", ".a", "a.", "a:"] {
        assert!(bad.parse::<Callee>().is_err(), "{bad:?}");
    }
}

#[test]
fn an_uncalled_function_counts_only_when_it_is_an_entry() {
    let tree = Tree::of(&[("a.ts", "export function put(lane, x) { return fence(lane, x); }")]);
    let mut options = Options::default();
    let report = scan(&registry(), tree.path(), &options).unwrap();
    assert_eq!(reached(&report), [""; 0]);
    assert_eq!(report.uncalled[0].0, "put");
    options.entries.push("put".into());
    let report = scan(&registry(), tree.path(), &options).unwrap();
    assert_eq!(reached(&report), ALL);
    assert!(report.uncalled.is_empty());
}

#[test]
fn other_peoples_code_ignored_files_and_tests_do_not_count() {
    let call = "fence(lane, x);";
    let files = [
        "node_modules/a/a.js",
        "target/a.js",
        ".git/a.js",
        ".hidden/a.js",
        "x/vendor/a.js",
        "third_party/a.js",
        "ignored/a.js",
        "a.gen.js",
        "tests/a.js",
        "src/__tests__/a.js",
        "a.test.js",
        "a.spec.js",
        "a.txt",
        "a.json",
    ];
    let mut tree = vec![(".gitignore", "ignored/\n*.gen.js\n"), ("b.js", "fence('page', x);")];
    tree.extend(files.iter().map(|path| (*path, call)));
    tree.extend([("test_a.py", "fence(lane, x)"), ("a_test.py", "fence(lane, x)")]);
    let tree = Tree::of(&tree);
    let report = scan(&registry(), tree.path(), &Options::default()).unwrap();
    assert_eq!((report.files, reached(&report)), (1, vec!["page"]));
    let with_tests = Options { tests: true, ..Options::default() };
    let report = scan(&registry(), tree.path(), &with_tests).unwrap();
    assert_eq!((report.files, reached(&report)), (7, ALL.to_vec()));
}

#[test]
fn an_ignore_file_counts_outside_of_git_too() {
    let tree = Tree::of(&[(".gitignore", "out/\n"), ("out/a.js", "fence(lane, x);")]);
    assert_eq!(scan(&registry(), tree.path(), &Options::default()).unwrap().files, 0);
}

#[test]
fn one_file_can_be_scanned() {
    let tree = Tree::of(&[("a.test.ts", "fence('page', x);")]);
    let report = scan(&registry(), &tree.path().join("a.test.ts"), &Options::default()).unwrap();
    assert_eq!(reached(&report), ["page"]);
    assert_eq!(report.literals[0].path, "a.test.ts");
    let missing = scan(&registry(), &tree.path().join("no"), &Options::default()).unwrap_err();
    assert!(missing.path.ends_with("no"), "{missing}");
}

#[test]
fn source_with_errors_is_read_as_far_as_it_goes_and_named() {
    let report = scan_one("a.ts", "fence('page', x);\nfunction (((\n");
    assert_eq!(reached(&report), ["page"]);
    assert_eq!(report.with_errors, ["a.ts"]);
}

#[test]
fn no_source_panics_or_takes_for_ever() {
    let deep = 5_000;
    let texts = [
        String::new(),
        "\0\u{feff}fence(".into(),
        format!("fence({}", "(".repeat(deep)),
        format!("fence({}'page'{});", "[".repeat(deep), "]".repeat(deep)),
        format!("fence({}'page'{});", "f(".repeat(deep), ")".repeat(deep)),
        format!("fence('page'{});", " + 'page'".repeat(deep)),
        format!("fence(x{});", ".y".repeat(deep)),
        format!("fence({}'page');", "x ? 'memory' : ".repeat(deep)),
        "x = c ? x : x; y = c ? x : y; fence(y);".repeat(200),
        "function f(a) { return f(f(a)); } fence(f(f));".into(),
        (0..60).map(|n| format!("let x{} = c ? x{n} : x{n};\n", n + 1)).collect::<String>()
            + "fence(x60);",
    ];
    for text in &texts {
        for path in ["a.ts", "a.tsx", "a.js", "a.py", "a.rs"] {
            scan_one(path, text);
        }
    }
}

#[test]
fn a_file_that_is_no_utf_8_is_read_and_a_huge_one_is_named() {
    let tree = Tree::of(&[]);
    std::fs::write(tree.path().join("latin.py"), b"# \xe4\nfence('page', x)\n").unwrap();
    std::fs::write(tree.path().join("huge.js"), vec![b' '; 4 * 1024 * 1024 + 1]).unwrap();
    let report = scan(&registry(), tree.path(), &Options::default()).unwrap();
    assert_eq!(reached(&report), ["page"]);
    assert_eq!(report.skipped[0].path, "huge.js");
}

#[test]
fn a_function_under_another_name_is_still_that_function() {
    check(
        "a.ts",
        &[
            ("import { fence as f } from './fence'; f('page', x);", &["page"]),
            ("import { fence as f } from './fence'; f(lane, x);", ALL),
            ("import { wrap as w } from './fence'; w('page', x);", &["page"]),
            ("import { wrap as w } from './text'; w('page', x);", &[]),
            ("const { fence: f } = require('./fence'); f('page', x);", &["page"]),
            ("const f = fence; f('page', x);", &["page"]),
            ("import { fence as f } from './fence'; const g = f; g('page', x);", &["page"]),
            ("let f = fence; f = log; f('page', x);", &[]),
            ("import { fence } from './fence'; lanes.map(fence);", ALL),
            ("import { fence as f } from './fence'; lanes.map(f);", ALL),
            ("import { fence } from './fence'; fence.bind(null, 'page')(x);", &["page"]),
            ("function go() { fence.call(this, 'page', x); } phone.call('memory', x);", &["page"]),
        ],
    );
    check(
        "a.py",
        &[
            ("from app.fence import wrap as w\nw('page', x)", &["page"]),
            ("from app import fence as f\nf('page', x)", &["page"]),
            ("f = fence\nf('page', x)", &["page"]),
            ("page_fence = partial(fence, 'page')\npage_fence(x)", &["page"]),
            ("out = functools.partial(fence, lane)", ALL),
        ],
    );
    check(
        "a.rs",
        &[
            ("use murmur_fence::wrap as w; fn f() { w(\"page\", x); }", &["page"]),
            ("use murmur_fence::{wrap as w}; fn f() { w(\"page\", x); }", &["page"]),
            ("use text::{wrap as w}; fn f() { w(\"page\", x); }", &[]),
            ("fn f() { let g = fence; g(\"page\", x); }", &["page"]),
        ],
    );
}

#[test]
fn what_a_branch_answers_is_read() {
    check(
        "a.rs",
        &[
            (
                "fn f() { fence(match k { K::A => \"page\", K::B => { log(); \"memory\" } }, x); }",
                &["memory", "page"],
            ),
            (
                "fn f() { let l = if c { \"page\" } else if d { \"memory\" } else { return }; fence(l, x); }",
                &["memory", "page"],
            ),
            ("fn f() { fence({ let y = 1; \"page\" }, x); }", &["page"]),
            ("fn f() { fence(match k { K::A => \"page\", _ => unreachable!() }, x); }", &["page"]),
            ("fn f() { fence(match k { K::A => \"page\", _ => lane }, x); }", ALL),
            ("fn f() { fence(if c { \"page\" } else { &lane }, x); }", ALL),
        ],
    );
}

#[test]
fn what_a_caller_leaves_out_is_the_default() {
    check(
        "a.ts",
        &[
            ("function put(lane = 'page') { fence(lane, x); } put();", &["page"]),
            ("function put(lane: string = 'page') { fence(lane, x); } put();", &["page"]),
            ("const put = (x, lane = 'page') => fence(lane, x); put(x, 'memory');", &["memory"]),
        ],
    );
    check("a.js", &[("function put(lane = 'page') { fence(lane, x); } put();", &["page"])]);
    check(
        "a.py",
        &[
            ("def put(lane='page'):\n    fence(lane, x)\nput()", &["page"]),
            ("def put(x, lane: str = 'page'):\n    fence(lane, x)\nput(x)", &["page"]),
            ("def put(lane=None):\n    fence(lane, x)\nput()", &[]),
        ],
    );
}

#[test]
fn a_table_of_texts_by_lane_reaches_the_lanes_that_it_names() {
    check(
        "a.py",
        &[
            (
                "for lane, t in {'page': p, 'memory': m}.items():\n    fence(lane, t)",
                &["memory", "page"],
            ),
            ("parts = {'page': p}\nfor lane in parts:\n    fence(lane, parts[lane])", &["page"]),
            ("parts = {'page': p}\nfor lane in parts.keys():\n    fence(lane, x)", &["page"]),
            ("parts = {'p': 'page'}\nfor lane in parts.values():\n    fence(lane, x)", &["page"]),
            (
                "def put(parts):\n  for lane, t in parts.items():\n    fence(lane, t)\nput({'page': p})",
                &["page"],
            ),
            ("def put(parts):\n  for lane, t in parts.items():\n    fence(lane, t)", ALL),
            (
                "class Lane(Enum):\n  PAGE = 'page'\nfor lane in Lane:\n  fence(lane.value, x)",
                &["page"],
            ),
        ],
    );
    check(
        "a.js",
        &[
            ("for (const [lane, t] of Object.entries({ page: p })) fence(lane, t);", &["page"]),
            (
                "Object.keys({ page: p, memory: m }).forEach((lane) => fence(lane, x));",
                &["memory", "page"],
            ),
            ("for (const lane of Object.values({ p: 'page' })) fence(lane, x);", &["page"]),
            ("for (const [lane, t] of Object.entries(given)) fence(lane, t);", ALL),
            ("for (const [lane, t] of parts.entries()) fence(lane, t);", ALL),
        ],
    );
    check(
        "a.ts",
        &[(
            "enum Lane { Page = 'page' } for (const lane of Object.values(Lane)) fence(lane, x);",
            &["page"],
        )],
    );
}

#[test]
fn deep_python_is_named_and_ends_nothing() {
    let deep: String = (0..1_500).map(|level| " ".repeat(level) + "if x:\n").collect();
    let tree = Tree::of(&[
        ("deep.py", &(deep + &" ".repeat(1_500) + "fence('page')\n")),
        ("a.py", "fence('page')"),
    ]);
    let report = scan(&registry(), tree.path(), &Options::default()).unwrap();
    assert_eq!(reached(&report), ["page"]);
    assert_eq!(report.skipped.len(), 1);
    assert_eq!((report.skipped[0].path.as_str(), report.files), ("deep.py", 1));
}
