/** A person’s status text: emoji, text and end; null if there is none. Reads leave out one that has ended. */
export const statusTexts = 'alter table users add column status_text jsonb';
