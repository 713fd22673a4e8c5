// What lanes.toml says, loaded once at start.

export type Trust = 'owner' | 'policy' | 'tool' | 'child' | 'model';

export interface Lane {
  trust: Trust;
  budget: number;
}

const lanes = new Map<string, Lane>();

export function loadLanes(table: Record<string, Lane>): void {
  for (const [name, lane] of Object.entries(table)) lanes.set(name, lane);
}

/** The trust of a lane; the lowest for one that nobody declared. */
export function laneTrustOf(name: string): Trust {
  return lanes.get(name)?.trust ?? 'model';
}

export function laneBudgetOf(name: string): number {
  return lanes.get(name)?.budget ?? 0;
}
