// Only compiled: the generated types say what the functions take and give.

import { fence, inspect, lanes, nonce, rules, tags, textAt } from 'murmur-fence';

const block: string = fence.wrap('tool:web-fetch', 'a page');
const verdict = fence.verify(block, 'strict');
if (verdict.tag === 'intact') {
  const body: string = textAt(block, verdict.val.blocks[0]!.body);
  void body;
} else if (verdict.tag === 'broken') {
  const offset: number = verdict.val[0]!.offset;
  void offset;
}
const inert: string | undefined = fence.neutralise('a page');
const pair = nonce.Nonce.create({ token: '7f3a91c2d4e5f607', style: 'angle' });
const reserved = tags.Tags.create(undefined);
const registry = lanes.Registry.parse('');
const prompt = new lanes.Assembler(registry, { tag: 'nonce', val: pair });
const pieces = inspect.inspect({ role: 'user', content: '[]', inserted: false });
const note = rules.history([{ role: 'system', text: 'x' }]).turns[0]!.text;
void [inert, reserved, prompt, pieces, note];

// @ts-expect-error: no such mode
fence.verify(block, 'lenient');
// @ts-expect-error: a text is missing
fence.wrap('tool:web-fetch');
// @ts-expect-error: an unfenced message has no blocks
fence.verify(block, 'standard').val.blocks;
