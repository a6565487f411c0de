export interface ComparedMessage {
  id: string;
  position: number;
  authorId: string;
  body: string;
}
