// The fence in JavaScript: the component's own functions, with what jco passes over
// in silence refused.

import * as component from './generated/component.js';

/** What a function of the component refused, and why. */
export class Refused extends Error {
  constructor(called, payload) {
    super(`${called} refused: ${JSON.stringify(payload)}`);
    this.name = 'Refused';
    this.payload = payload;
  }
}

// Half a surrogate pair would become U+FFFD, and offsets would point into another
// text than the caller's; a number beyond its type would wrap around.
function check(value, called) {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) {
      throw new TypeError(`${called}: a string has half a surrogate pair; use toWellFormed first`);
    }
  } else if (typeof value === 'number') {
    if (!Number.isInteger(value) || value < 0 || value > 0xffff_ffff) {
      throw new RangeError(`${called}: ${value} is no whole number from 0 to 4294967295`);
    }
  } else if (typeof value === 'bigint') {
    if (BigInt.asUintN(64, value) !== value) {
      throw new RangeError(`${called}: ${value} is no whole number of 64 bits`);
    }
  } else if (Array.isArray(value)) {
    for (const item of value) check(item, called);
  } else if (value && Object.getPrototypeOf(value) === Object.prototype) {
    // Only plain records: a resource is a class of its own.
    for (const member of Object.values(value)) check(member, called);
  }
}

function guard(called, run, args) {
  for (const argument of args) check(argument, called);
  try {
    return run();
  } catch (error) {
    if (error && Object.hasOwn(error, 'payload')) throw new Refused(called, error.payload);
    throw error;
  }
}

function guarded(called, method) {
  return function (...args) {
    return guard(called, () => method.apply(this, args), args);
  };
}

// Methods are replaced where they are, since the component makes instances itself.
function guardMethods(owner, called) {
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
    if (typeof property.value === 'function' && name !== 'constructor') {
      owner[name] = guarded(`${called}.${name}`, property.value);
    }
  }
}

function guardedInterface(members, called) {
  return Object.freeze(
    Object.fromEntries(
      Object.entries(members).map(([name, member]) => {
        const path = `${called}.${name}`;
        if (!/^[A-Z]/.test(name)) return [name, guarded(path, member)];
        guardMethods(member, path);
        guardMethods(member.prototype, path);
        const construct = (target, args, newTarget) =>
          guard(path, () => Reflect.construct(target, args, newTarget), args);
        return [name, new Proxy(member, { construct })];
      }),
    ),
  );
}

export const audit = guardedInterface(component.audit, 'audit');
export const fence = guardedInterface(component.fence, 'fence');
export const inspect = guardedInterface(component.inspect, 'inspect');
export const lanes = guardedInterface(component.lanes, 'lanes');
export const nonce = guardedInterface(component.nonce, 'nonce');
export const rules = guardedInterface(component.rules, 'rules');
export const tags = guardedInterface(component.tags, 'tags');

const encoder = new TextEncoder();
// Else a byte order mark at the start of a span would be dropped.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a span. The component counts bytes of UTF-8, JavaScript counts
 * UTF-16 units. */
export function textAt(text, span) {
  return decoder.decode(encoder.encode(text).subarray(span.start, span.end));
}

/** A token for `nonce.Nonce.create`: 128 bits from the platform's secure generator. */
export function drawToken() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
