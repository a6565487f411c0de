import type { Person, StatusText } from '../../shared/people.ts';
import { now } from '../ui/now.ts';

/** Returns the status text unless it has ended. Reactive to the clock until it ends. */
export function statusTextOf({ statusText }: Pick<Person, 'statusText'>): StatusText | undefined {
  if (statusText?.until === undefined) return statusText;
  const end = Date.parse(statusText.until);
  return end > Date.now() && end > now() ? statusText : undefined;
}

/** In one line: the emoji, then the text. Empty without a status text. */
export const statusLine = (person: Pick<Person, 'statusText'>): string => {
  const { emoji = '', text = '' } = statusTextOf(person) ?? {};
  return `${emoji} ${text}`.trim();
};
