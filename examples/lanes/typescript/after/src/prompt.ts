// Everything that the model reads in one turn.

import { trustFence } from './fence';
import { laneBudgetOf, laneTrustOf } from './registry';

export interface Turn {
  texts: Map<string, string>;
}

const ORDER = [
  'base_prompt',
  'safety_rules',
  'style_guide',
  'tool_manual',
  'answer_format',
  'feature_flags',
  'clock_line',
  'locale_line',
  'user_profile',
  'project_goal',
  'user_pins',
  'hook_memory',
  'session_summary',
  'tool_results',
  'saved_prompt',
  'page_context',
  'file_excerpts',
  'search_hits',
  'channel_envelope',
  'watcher_report',
  'api_assistant',
  'draft_text',
  'voice_dictation',
  'reply_choice',
  'user_turn',
];

/** A lane's text with the sentence of that very lane. */
function fenced(turn: Turn, lane: string): string[] {
  const text = (turn.texts.get(lane) ?? '').slice(0, laneBudgetOf(lane));
  return text === '' ? [] : [text, trustFence(laneTrustOf(lane))];
}

export function buildPrompt(turn: Turn): string {
  return ORDER.flatMap((lane) => fenced(turn, lane))
    .filter((text) => text !== '')
    .join('\n\n');
}
