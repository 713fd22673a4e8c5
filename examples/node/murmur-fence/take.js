// A value as its type has it, read once and copied, or a refusal that says where it
// stands. jco would convert: half a surrogate pair to U+FFFD, a number beyond its type
// to another, what is no list to an empty one, any object to `true`.

import * as component from './generated/component.js';

function shown(value) {
  if (value === null || ['undefined', 'number', 'boolean'].includes(typeof value)) return `${value}`;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'string') {
    return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  }
  if (typeof value !== 'object') return `a ${typeof value}`;
  return `an object (${Object.prototype.toString.call(value).slice(8, -1)})`;
}

function wrong(value, where, wanted, Kind = TypeError) {
  return new Kind(`${where} is ${shown(value)}; give ${wanted}`);
}

function number(kind, { least, most }, value, where) {
  const wanted = `a whole ${kind} from ${least} to ${most}`;
  if (typeof value !== kind) throw wrong(value, where, wanted);
  const whole = kind === 'bigint' || Number.isInteger(value);
  if (!whole || value < least || value > most) throw wrong(value, where, wanted, RangeError);
  return value;
}

const takes = {
  string(_, value, where) {
    if (typeof value !== 'string') throw wrong(value, where, 'a string');
    if (!value.isWellFormed()) {
      throw new TypeError(`${where} has half a surrogate pair; use toWellFormed first`);
    }
    return value;
  },
  bool(_, value, where) {
    if (typeof value !== 'boolean') throw wrong(value, where, 'true or false');
    return value;
  },
  u32: (type, value, where) => number('number', type, value, where),
  u64: (type, value, where) => number('bigint', type, value, where),
  list({ of }, value, where) {
    if (!Array.isArray(value)) throw wrong(value, where, 'an array, as of Array.from');
    return Array.from({ length: value.length }, (_, at) => take(of, value[at], `${where}[${at}]`));
  },
  option({ of }, value, where) {
    return value === undefined || value === null ? undefined : take(of, value, where);
  },
  record({ members }, value, where) {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      throw wrong(value, where, `an object with ${Object.keys(members).join(', ')}`);
    }
    const taken = ([name, type]) => [name, take(type, value[name], `${where}.${name}`)];
    return Object.fromEntries(Object.entries(members).map(taken));
  },
  enum({ words }, value, where) {
    if (!words.includes(value)) throw wrong(value, where, `one of ${words.join(', ')}`);
    return value;
  },
  variant({ cases }, value, where) {
    if (value === null || typeof value !== 'object') throw wrong(value, where, 'an object with tag');
    const { tag } = value;
    takes.enum({ words: Object.keys(cases) }, tag, `${where}.tag`);
    return cases[tag] ? { tag, val: take(cases[tag], value.val, `${where}.val`) } : { tag };
  },
  resource({ owner, name }, value, where) {
    if (!(value instanceof component[owner][name])) throw wrong(value, where, `a ${owner}.${name}`);
    return value;
  },
};

export function take(type, value, where) {
  return takes[type.kind](type, value, where);
}
