export type Promised = 'P1' | 'P2' | 'P3' | 'P4' | 'P5' | 'P6' | 'P7' | 'P8' | 'P9';

export type FindingKind =
  | 'lost'
  | 'doubled'
  | 'out of order'
  | 'different'
  | 'after access ended'
  | 'not closed'
  | 'not healed'
  | 'lost on the way'
  | 'wrong presence'
  | 'not recovered';

export interface Finding {
  promise: Promised;
  kind: FindingKind;
  text: string;
  at?: number | undefined;
}
