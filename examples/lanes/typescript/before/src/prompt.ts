// Everything that the model reads in one turn.

import { trustFence } from './fence';
import { laneBudgetOf, laneTrustOf } from './registry';

export interface Turn {
  texts: Map<string, string>;
  runsSkill: boolean;
}

const BEFORE_THE_TASK = [
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
];

const WITH_THE_TASK = [
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

function piece(turn: Turn, lane: string): string {
  return (turn.texts.get(lane) ?? '').slice(0, laneBudgetOf(lane));
}

export function buildPrompt(turn: Turn): string {
  const out: string[] = [];
  for (const lane of BEFORE_THE_TASK) out.push(piece(turn, lane));

  // The one place where a lane's trust reaches the model.
  const toolFence = turn.runsSkill ? '' : trustFence(laneTrustOf('tool_results'));
  out.push(piece(turn, 'tool_results'), toolFence);

  for (const lane of WITH_THE_TASK) out.push(piece(turn, lane));
  return out.filter((text) => text !== '').join('\n\n');
}
