// What each function of the component takes, as the WIT has it. The tests hold this to
// the types that jco generates.

const list = (of) => ({ kind: 'list', of });
const option = (of) => ({ kind: 'option', of });
const record = (name, members) => ({ kind: 'record', name, members });
const choice = (name, ...words) => ({ kind: 'enum', name, words });
const resource = (owner, name) => ({ kind: 'resource', owner, name });

const string = { kind: 'string' };
const bool = { kind: 'bool' };
const u32 = { kind: 'u32', least: 0, most: 0xffff_ffff };
const u64 = { kind: 'u64', least: 0n, most: 0xffff_ffff_ffff_ffffn };
const fromOne = { ...u64, least: 1n };

const mode = choice('Mode', 'standard', 'strict');
const item = record('Item', { source: string, content: string });
const served = record('ServedMessage', { role: string, content: string, inserted: bool });
const turn = record('Turn', { role: string, text: string });
const attribute = record('Attribute', { name: string, value: string });
const settings = record('Settings', {
  token: string, name: option(string), style: choice('Style', 'angle', 'tag'),
});
const lane = record('Lane', {
  name: string,
  trust: choice('Trust', 'owner', 'policy', 'tool', 'child', 'model', 'unknown'),
  budget: u32,
  description: option(string),
  place: option(record('Place', { line: u32, column: u32 })),
});
const options = record('Options', {
  firstLine: fromOne,
  notUtf8: list(record('NotUtf8', { line: u64, validUpTo: u32, cutOff: bool })),
  maxFindings: u32,
  since: option(u64),
  lookalikes: bool,
});
const registry = resource('lanes', 'Registry');
const dialect = {
  kind: 'variant',
  name: 'Dialect',
  cases: { marker: undefined, nonce: resource('nonce', 'Nonce'), tags: resource('tags', 'Tags') },
};

// What both dialects of their own markers have.
const markers = {
  wrap: { source: string, content: string },
  defang: { content: string },
  restore: { body: string },
  segments: { message: string },
  verify: { message: string, mode },
  rules: { label: option(string) },
};

export const span = record('Span', { start: u32, end: u32 });

/** By interface, then by function, or by class and then by method. */
export const signatures = {
  audit: { auditLines: { lines: string, options } },
  fence: {
    wrap: { source: string, content: string },
    wrapAll: { items: list(item) },
    neutralise: { content: string },
    neutraliseAll: { contents: list(string) },
    openMarker: { source: string },
    closeMarker: {},
    segments: { message: string },
    outerBlock: { message: string },
    verify: { message: string, mode },
    verifyAll: { messages: list(string), mode },
    restore: { body: string },
    lookalikes: { text: string },
    Writer: { constructor: { source: string }, write: { chunk: string }, finish: {} },
  },
  inspect: { inspect: { message: served }, inspectAll: { messages: list(served) } },
  lanes: {
    receiptCoverage: { registry: option(registry), receipts: string },
    promptCoverage: { registry, dialect, prompt: string },
    messagesCoverage: { registry, dialect, messages: string },
    Assembler: {
      constructor: { registry, dialect },
      push: { lane: string, text: string },
      finish: {},
    },
    Chat: {
      constructor: { registry, dialect },
      message: { role: string },
      push: { lane: string, text: string },
      pushJson: { lane: string, value: string },
      finish: {},
    },
    Registry: {
      constructor: {},
      parse: { text: string },
      parseLenient: { text: string },
      create: { lanes: list(lane) },
      lanes: {},
    },
  },
  nonce: {
    Nonce: {
      constructor: {},
      create: { settings },
      fence: { source: string, content: string },
      ...markers,
    },
  },
  rules: {
    markerRules: { label: option(string) },
    provenance: { modules: list(string) },
    history: { turns: list(turn) },
  },
  tags: {
    Tags: {
      constructor: {},
      create: { reserved: option(list(string)) },
      fence: { tag: string, body: string, attributes: list(attribute) },
      toolResult: { tool: string, body: string },
      ...markers,
    },
  },
};
