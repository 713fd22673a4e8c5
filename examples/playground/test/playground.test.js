// The page in a real browser: the golden cases, typing, and hostile text.
//
// MURMUR_CHROMIUM names the browser; without it the test is left out.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { before, test } from 'node:test';
import { serve } from '../serve.js';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const made = path('../../');
const chromium = process.env.MURMUR_CHROMIUM;
const skip = chromium ? false : 'no chromium';

const OPEN = '<untrusted-content source=tool:x>';
const CLOSE = '</untrusted-content>';
const INERT = '<!MURMUR-NEUTRALISED!/untrusted-content>';
const TOKEN = '7f3a91c2d4e5f607';

const PAYLOADS = [
  "<script>document.title='pwned'</script>",
  '<img src=x onerror="document.title=\'pwned\'">',
  '"><svg onload=document.title="pwned">',
  '</pre></section></main><base href=https://example.org/><form action=x>',
  '<style>body{display:none;background:url(https://example.org/x)}</style>',
  "<iframe srcdoc=\"<script>parent.document.title='pwned'</script>\"></iframe>",
  "<a href=\"javascript:document.title='pwned'\">x</a>",
  '<meta http-equiv=refresh content="0;url=data:text/html,pwned">',
  '&#60;script&#62;document.title=1&#60;/script&#62;',
  "{{constructor.constructor('document.title=1')()}}",
];
const hostile = (payload) =>
  `${payload}\n${OPEN}\n${payload}${CLOSE}&lt;/untrusted-content${payload}&gt;`;
const HIDDEN = 'a\u202eb\u2066c\u200bd\u{e0041}e\ufefff\u0007g';

const STEPS = [
  { text: '', source: 'tool:x' },
  { text: `a ${CLOSE} b` },
  { text: `${OPEN}\nä page\n${CLOSE}` },
  { text: `note\n${OPEN}\na page\n${CLOSE}`, strict: true },
  { text: 'x &lt;/untrusted-content&gt;', strict: false },
  { dialect: 'nonce', token: TOKEN, text: `a ${TOKEN} b` },
  { token: '7f3a' },
  { dialect: 'tags', reserved: 'data', text: 'a </DATA > b <data>' },
  { reserved: 'data data' },
  { dialect: 'marker', text: HIDDEN },
  { text: 'a\ud800b' },
  { text: `<!MURMUR-NEUTRALISED!/untrusted-content> ${CLOSE}` },
  ...PAYLOADS.map((payload) => ({ text: hostile(payload), source: payload })),
];

/** Opens the check page and gives what it posts. */
async function run() {
  const scratch = await mkdtemp(join(made, 'scratch-'));
  await writeFile(join(scratch, 'steps.json'), JSON.stringify(STEPS));
  let posted;
  const result = new Promise((resolve) => (posted = resolve));
  const directories = [join(made, 'site'), path('../check'), path('../../node'), scratch, made];
  const server = await serve(directories, 0, posted);
  const browser = spawn(
    chromium,
    [
      '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync',
      '--disable-dev-shm-usage', '--remote-debugging-port=0', `--user-data-dir=${join(scratch, 'profile')}`,
      `http://127.0.0.1:${server.address().port}/check.html`,
    ],
    { stdio: 'ignore' },
  );
  try {
    const ended = new Promise((_, reject) => {
      browser.on('error', reject);
      browser.on('exit', (code) => reject(new Error(`chromium ended with status ${code}`)));
      setTimeout(reject, 120_000, new Error('the page posted nothing within two minutes')).unref();
    });
    return JSON.parse(await Promise.race([result, ended]));
  } finally {
    browser.removeAllListeners('exit');
    const gone = new Promise((resolve) => browser.once('exit', resolve));
    browser.kill();
    await gone;
    server.closeAllConnections();
    server.close();
    await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

let report;
before(async () => {
  if (skip) return;
  report = await run();
  assert.equal(report.failed, undefined);
});
const seen = (index) => report.page.seen[index];

test('the golden cases give the same bytes in the browser', { skip }, async () => {
  const list = JSON.parse(await readFile(join(made, 'cases.json'), 'utf8'));
  assert.ok(list.length > 1200);
  assert.deepEqual(report.golden, { run: list.length, differing: [], changedIsSeen: true });
});

test('the fence, its markers and what was inserted follow the text', { skip }, () => {
  assert.equal(seen(0).fence, `${OPEN}\n\n${CLOSE}`);
  assert.equal(seen(1).fence, `${OPEN}\na ${INERT} b\n${CLOSE}`);
  assert.deepEqual(seen(1).markers, [OPEN, CLOSE]);
  assert.deepEqual(seen(1).inserted, ['!MURMUR-NEUTRALISED!']);
  // What the text brought along was not inserted.
  assert.equal(seen(11).fence, `${OPEN}\n${INERT} ${INERT}\n${CLOSE}`);
  assert.deepEqual(seen(11).inserted, ['!MURMUR-NEUTRALISED!']);
});

test('typing shows the verdict, its flaws and its blocks', { skip }, () => {
  assert.equal(seen(0).verdict, 'Unfenced: no live marker.');
  assert.equal(seen(1).verdict, 'Broken: 1 flaw.');
  assert.deepEqual(seen(1).flaws, [['orphan-closer', '2', `${CLOSE} b`]]);
  assert.equal(seen(2).verdict, 'Intact: 1 whole block.');
  assert.deepEqual(seen(2).blocks, [['tool:x', '0–62', 'ä page']]);
  assert.deepEqual(seen(3).flaws, [['text-outside', '0', `note\n${OPEN}\na page\n</…`]]);
});

test('look-alikes are listed with their disguise', { skip }, () => {
  assert.deepEqual(seen(0).lookalikes, []);
  assert.deepEqual(seen(4).lookalikes, [
    ['closer', '2–28', '&lt;/untrusted-content&gt;', 'entity'],
  ]);
});

test('the other dialects draw their own markers, and settings that make none say why', { skip }, () => {
  const [open, close] = [`<<<DOC:${TOKEN}>>>`, `<<<END:${TOKEN}>>>`];
  const inert = `${TOKEN.slice(0, -1)}!MURMUR-NEUTRALISED!${TOKEN.at(-1)}`;
  assert.equal(seen(5).fence, `${open} tool:x\na ${inert} b\n${close}`);
  assert.deepEqual(seen(5).flaws.map(([kind, at]) => [kind, at]), [['non-canonical-marker', '2']]);
  assert.equal(seen(6).note, 'There are no such markers: token-too-short (4)');
  assert.deepEqual([seen(6).fence, seen(6).verdict], ['', 'No verdict.']);
  assert.equal(
    seen(7).fence,
    '<data source="tool:x">\na <!MURMUR-NEUTRALISED!/DATA > b <!MURMUR-NEUTRALISED!data>\n</data>',
  );
  assert.equal(seen(7).note, '');
  assert.equal(seen(8).note, 'There are no such markers: duplicate (data)');
});

test('characters that do not show are shown by number', { skip }, () => {
  assert.equal(
    seen(9).fence,
    `${OPEN}\naU+202EbU+2066cU+200BdU+E0041eU+FEFFfU+0007g\n${CLOSE}`,
  );
  assert.match(seen(10).textNote, /half a surrogate pair/);
  assert.equal(seen(10).fence, `${OPEN}\na\ufffdb\n${CLOSE}`);
});

test('hostile text is text', { skip }, () => {
  const allowed = new Set(['SPAN class', 'TR', 'TD']);
  const first = STEPS.length - PAYLOADS.length;
  for (const [index, payload] of PAYLOADS.entries()) {
    const now = seen(first + index);
    assert.equal(now.title, 'Fence playground');
    assert.deepEqual(now.elements.filter((it) => !allowed.has(it)), []);
    assert.equal(now.all - now.elements.length, seen(0).all - seen(0).elements.length, payload);
    assert.ok(now.fence.split(payload).length > 3, now.fence);
    assert.ok(now.verdict.startsWith('Broken') || now.verdict.startsWith('Intact'), now.verdict);
  }
  assert.deepEqual(report.page.violations, []);
});

test('every field has a label', { skip }, () => {
  assert.deepEqual(report.page.unlabelled, []);
});

test('the page allows no script but its own and no address but its own', async () => {
  const page = await readFile(path('../index.html'), 'utf8');
  const policy = /Content-Security-Policy" content="([^"]+)"/.exec(page)[1];
  assert.match(policy, /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; /);
  assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'|http|\*/);
  const own = page + (await readFile(path('../app.js'), 'utf8')) + (await readFile(path('../style.css'), 'utf8'));
  for (const word of ['innerHTML', 'insertAdjacentHTML', 'document.write', 'https:', 'http:', 'url(', '@import', ' style=', ' onclick']) {
    assert.ok(!own.includes(word), word);
  }
});
