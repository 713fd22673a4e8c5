// Runs the shared list of golden cases, in Node and in the browser. The form of the
// list is described in host-test/cases/README.md.

const camel = (name) => name.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** A value of the list as jco takes it. */
function toJco(value) {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.map(toJco);
  if (typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [camel(name), toJco(it)]));
}

// The numbers of 64 bits among what is handed in, all of them the audit's.
const WIDE = new Set(['first-line', 'line', 'since']);

function widened(value) {
  if (Array.isArray(value)) return value.map(widened);
  if (value === null || typeof value !== 'object') return value;
  const wide = ([name, it]) =>
    [name, WIDE.has(name) && typeof it === 'number' ? BigInt(it) : widened(it)];
  return Object.fromEntries(Object.entries(value).map(wide));
}

/** A value of jco as the list has it. */
function fromJco(value) {
  if (value === undefined || value === null) return null;
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(fromJco);
  if (typeof value !== 'object') return value;
  if (typeof value.tag === 'string') {
    return 'val' in value && value.val !== undefined
      ? { [value.tag]: fromJco(value.val) }
      : value.tag;
  }
  const members = Object.entries(value);
  if (members.every(([, it]) => typeof it === 'boolean')) {
    return members.filter(([, it]) => it).map(([name]) => kebab(name));
  }
  return Object.fromEntries(members.map(([name, it]) => [kebab(name), fromJco(it)]));
}

const FALLIBLE = new Set([
  'inspect.inspect', 'lanes.parse', 'nonce.create', 'nonce.fence', 'nonce.rules',
  'rules.marker-rules', 'tags.fence', 'tags.rules', 'tags.tool-result',
]);

function call(api, { interface: name, function: method }, args) {
  if (name === 'lanes') return lanes(api, method, args);
  if (name === 'nonce' || name === 'tags') {
    const kind = name === 'nonce' ? api.nonce.Nonce : api.tags.Tags;
    const made = kind.create(args[0]);
    return method === 'create' ? made : made[camel(method)](...args.slice(1));
  }
  return api[name][camel(method)](...args);
}

function lanes({ lanes: { Registry, Assembler, promptCoverage } }, method, [text, pushes]) {
  if (method === 'parse') return Registry.parse(text).lanes();
  if (method === 'parse-lenient') return Registry.parseLenient(text)[0].lanes();
  const registry = Registry.parse(text);
  const assembler = new Assembler(registry, { tag: 'marker' });
  try {
    for (const [lane, content] of pushes) assembler.push(lane, content);
  } catch (error) {
    return { tag: 'err', val: error.payload };
  }
  const prompt = assembler.finish().text;
  return { tag: 'ok', val: promptCoverage(registry, { tag: 'marker' }, prompt) };
}

/** What the component answers to a call of the list. */
export function answer(api, entry) {
  const path = `${entry.interface}.${entry.function}`;
  try {
    const args = entry.interface === 'audit' ? widened(entry.arguments) : entry.arguments;
    const value = fromJco(call(api, entry, args.map(toJco)));
    return FALLIBLE.has(path) ? { ok: value } : value;
  } catch (error) {
    if (error instanceof api.Refused) return { err: fromJco(error.payload) };
    throw error;
  }
}

/** Whether an answer is what is recorded; members that are not recorded may be any. */
export function holds(recorded, seen) {
  if (Array.isArray(recorded)) {
    return (
      Array.isArray(seen) &&
      recorded.length === seen.length &&
      recorded.every((it, index) => holds(it, seen[index]))
    );
  }
  if (recorded !== null && typeof recorded === 'object') {
    return (
      seen !== null && typeof seen === 'object' && !Array.isArray(seen) &&
      Object.entries(recorded).every(([name, it]) => Object.hasOwn(seen, name) && holds(it, seen[name]))
    );
  }
  return recorded === seen;
}

/** The calls whose answer is not what is recorded, each with what was seen. */
export function differing(api, list) {
  return list
    .map((entry) => ({ name: entry.name, recorded: entry.result, seen: answer(api, entry) }))
    .filter(({ recorded, seen }) => !holds(recorded, seen));
}
