// One row for each piece that goes into a turn. The rows carry every lane's
// trust, whatever the prompt says.

import type { Trust } from './registry';

export interface Row {
  lane: string;
  chars: number;
  trust?: Trust;
}

export interface Sources {
  trustOf(lane: string): Trust;
}

export function rowsOf(pieces: Row[], sources: Sources): Row[] {
  return pieces.map((piece) => ({
    ...piece,
    trust: piece.trust ?? sources.trustOf(piece.lane),
  }));
}
