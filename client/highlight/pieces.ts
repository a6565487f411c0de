/** The messages between the page and the worker. */

export interface HighlightRequest {
  id: number;
  language: string;
  text: string;
}

/** A piece of code and its kind, for example `keyword` or `string`; empty for plain text. */
export interface Piece {
  text: string;
  kind: string;
}

export interface HighlightReply {
  id: number;
  /** Undefined if the language is unknown. */
  pieces: Piece[] | undefined;
}
