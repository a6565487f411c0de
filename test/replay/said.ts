/** What is compared of a message. */
export interface Said {
  id: string;
  position: number;
  authorId: string;
  body: string;
}
