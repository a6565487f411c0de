/** What the page and its worker say to each other. */

export interface HighlightRequest {
  id: number;
  language: string;
  text: string;
}

/** A piece of code and what it is in its language: `keyword`, `string`; nothing if it is nothing of note. */
export interface Piece {
  text: string;
  kind: string;
}

export interface HighlightReply {
  id: number;
  /** Undefined where the language is not known. */
  pieces: Piece[] | undefined;
}
