// Runs in the browser: the golden cases in the page's own component, then the page as
// somebody uses it. Posts what it saw.

import * as api from './murmur-fence/index.js';
import { differing } from './cases.js';

async function golden() {
  const list = await (await fetch('cases.json')).json();
  const changed = { ...list[0], result: 'changed' };
  return {
    run: list.length,
    differing: differing(api, list),
    changedIsSeen: differing(api, [changed]).length === 1,
  };
}

async function page(steps) {
  const frame = document.createElement('iframe');
  frame.src = 'index.html';
  document.documentElement.append(frame);
  const violations = [];
  const ready = () => frame.contentDocument?.documentElement?.dataset.ready;
  while (!ready()) await new Promise((resolve) => setTimeout(resolve, 20));
  const { contentDocument: inner, contentWindow: window } = frame;
  inner.addEventListener('securitypolicyviolation', (event) => violations.push(event.blockedURI));
  const settled = () => new Promise((resolve) => setTimeout(resolve, 30));
  const seen = [];
  for (const step of steps) {
    for (const [id, value] of Object.entries(step)) {
      const element = id === 'dialect' ? inner.querySelector(`input[value=${value}]`) : inner.getElementById(id);
      if (element.type === 'radio') element.checked = true;
      else if (element.type === 'checkbox') element.checked = value;
      else element.value = value;
      const type = element.tagName === 'SELECT' ? 'change' : 'input';
      element.dispatchEvent(new window.Event(type, { bubbles: true }));
    }
    await settled();
    const text = (id) => inner.getElementById(id).textContent;
    const rows = (id) =>
      inner.getElementById(id).hidden
        ? []
        : [...inner.querySelectorAll(`#${id} tbody tr`)].map((row) => [...row.cells].map((cell) => cell.textContent));
    seen.push({
      title: inner.title,
      fence: text('fence'),
      markers: [...inner.querySelectorAll('#fence .marker')].map((it) => it.textContent),
      inserted: [...inner.querySelectorAll('#fence .inserted')].map((it) => it.textContent),
      verdict: text('verdict'),
      flaws: rows('flaws'),
      blocks: rows('blocks'),
      lookalikes: rows('lookalikes'),
      note: text('settings-note'),
      textNote: text('text-note'),
      // Everything in the places where pasted text is drawn, by tag and attributes.
      elements: [...inner.querySelectorAll('#fence *, tbody *')].map((it) =>
        [it.tagName, ...it.getAttributeNames()].join(' '),
      ),
      all: inner.querySelectorAll('*').length,
    });
  }
  const unlabelled = [...inner.querySelectorAll('input, select, textarea')].filter(
    (it) => it.labels.length === 0,
  );
  return { seen, violations, unlabelled: unlabelled.map((it) => it.id) };
}

async function report() {
  const steps = await (await fetch('steps.json')).json();
  return { golden: await golden(), page: await page(steps) };
}

const body = await report().catch((error) => ({ failed: String(error?.stack ?? error) }));
await fetch('result', { method: 'POST', body: JSON.stringify(body) });
