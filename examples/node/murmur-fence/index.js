// The fence in JavaScript: the component's own functions, with what jco passes over
// in silence refused.

import * as component from './generated/component.js';
import { signatures, span as spanType } from './signatures.js';
import { take } from './take.js';

/** What a function of the component refused, and why. */
export class Refused extends Error {
  constructor(called, payload) {
    super(`${called} refused: ${JSON.stringify(payload)}`);
    this.name = 'Refused';
    this.payload = payload;
  }
}

function guard(called, signature, run, given) {
  const args = Object.entries(signature).map(([name, type], at) =>
    take(type, given[at], `${called}: ${name}`));
  try {
    return run(args);
  } catch (error) {
    if (error && Object.hasOwn(error, 'payload')) throw new Refused(called, error.payload);
    throw error;
  }
}

function guarded(called, signature, method) {
  return function (...given) {
    return guard(called, signature, (args) => method.apply(this, args), given);
  };
}

// Methods are replaced where they are, since the component makes instances itself.
function guardMethods(owner, called, methods) {
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
    if (typeof property.value === 'function' && name !== 'constructor') {
      owner[name] = guarded(`${called}.${name}`, methods[name], property.value);
    }
  }
}

function guardedInterface(called) {
  return Object.freeze(
    Object.fromEntries(
      Object.entries(component[called]).map(([name, member]) => {
        const path = `${called}.${name}`;
        const signature = signatures[called][name];
        if (!/^[A-Z]/.test(name)) return [name, guarded(path, signature, member)];
        guardMethods(member, path, signature);
        guardMethods(member.prototype, path, signature);
        const construct = (target, given, newTarget) =>
          guard(path, signature.constructor, (args) => Reflect.construct(target, args, newTarget), given);
        return [name, new Proxy(member, { construct })];
      }),
    ),
  );
}

export const audit = guardedInterface('audit');
export const fence = guardedInterface('fence');
export const inspect = guardedInterface('inspect');
export const lanes = guardedInterface('lanes');
export const nonce = guardedInterface('nonce');
export const rules = guardedInterface('rules');
export const tags = guardedInterface('tags');

const encoder = new TextEncoder();
// Else a byte order mark at the start of a span would be dropped.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a span. The component counts bytes of UTF-8, JavaScript counts
 * UTF-16 units. */
export function textAt(text, span) {
  const bytes = encoder.encode(take({ kind: 'string' }, text, 'textAt: text'));
  const { start, end } = take(spanType, span, 'textAt: span');
  if (start > end || end > bytes.length) {
    throw new RangeError(`textAt: span is ${start} to ${end}; the text has ${bytes.length} bytes`);
  }
  if ([start, end].some((at) => (bytes[at] & 0xc0) === 0x80)) {
    throw new RangeError(`textAt: span is ${start} to ${end}; it parts a character`);
  }
  return decoder.decode(bytes.subarray(start, end));
}

/** A token for `nonce.Nonce.create`: 128 bits from the platform's secure generator. */
export function drawToken() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
