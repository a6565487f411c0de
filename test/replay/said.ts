/** What is compared of a message. */
export interface ComparedMessage {
  id: string;
  position: number;
  authorId: string;
  body: string;
}
