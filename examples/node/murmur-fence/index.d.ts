import type { Span } from './generated/interfaces/murmur-fence-fence.js';

// As jco makes them from the WIT: names in camel case, `option` as `undefined`,
// `variant` as `{ tag, val }`, u64 as `bigint`, and the error of a `result` thrown as `Refused`.
export { audit, fence, inspect, lanes, nonce, rules, tags } from './generated/component.js';

/** What a function of the component refused. `payload` is the error of the WIT. */
export class Refused extends Error {
  readonly payload: unknown;
}

/** The text of a span. The component counts bytes of UTF-8, JavaScript counts
 * UTF-16 units. */
export function textAt(text: string, span: Span): string;

/** A token for `nonce.Nonce.create`: 128 bits from the platform's secure generator. */
export function drawToken(): string;
