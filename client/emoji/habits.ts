/** What somebody used last, and their skin tone: on this device. */
import { Kept } from '../device/saved.ts';
import { asRecord } from '../device/storage.ts';
import { tones, type Tone } from './tones.ts';

interface Habits {
  /** The last first. */
  recent: readonly string[];
  tone: Tone;
}

const most = 24;
const usual: Habits = { recent: [], tone: '' };
const kept = new Kept<Habits>('emoji', (found) => {
  const { recent, tone } = asRecord(found);
  return {
    recent: Array.isArray(recent) ? recent.filter(isSign).slice(0, most) : [],
    tone: tones.find((one) => one === tone) ?? '',
  };
});
const isSign = (found: unknown): found is string => typeof found === 'string';

export const emojiHabits = (): Habits => kept.get('') ?? usual;

const usualSigns = ['👍', '❤️', '😂'];

/** The three that somebody is likely to want. */
export const quickEmoji = (): string[] =>
  [...new Set([...emojiHabits().recent, ...usualSigns])].slice(0, usualSigns.length);

export function noteEmoji(sign: string): void {
  const { recent, tone } = emojiHabits();
  kept.set('', { recent: [sign, ...recent.filter((one) => one !== sign)].slice(0, most), tone });
}

export function chooseTone(tone: Tone): void {
  kept.set('', { ...emojiHabits(), tone });
}
