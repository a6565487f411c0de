/** The recently used emoji and the skin tone, saved on this device. */
import { SavedMap } from '../device/saved.ts';
import { asRecord } from '../device/storage.ts';
import { tones, type Tone } from './tones.ts';

interface Habits {
  /** The latest first. */
  recent: readonly string[];
  tone: Tone;
}

const most = 24;
const usual: Habits = { recent: [], tone: '' };
const kept = new SavedMap<Habits>('emoji', (found) => {
  const { recent, tone } = asRecord(found);
  return {
    recent: Array.isArray(recent) ? recent.filter(isSign).slice(0, most) : [],
    tone: tones.find((one) => one === tone) ?? '',
  };
});
const isSign = (found: unknown): found is string => typeof found === 'string';

export const emojiHabits = (): Habits => kept.get('') ?? usual;

const usualSigns = ['👍', '❤️', '😂'];

/** The three most likely emoji. */
export const quickEmoji = (): string[] =>
  [...new Set([...emojiHabits().recent, ...usualSigns])].slice(0, usualSigns.length);

export function noteEmoji(sign: string): void {
  const { recent, tone } = emojiHabits();
  kept.set('', { recent: [sign, ...recent.filter((one) => one !== sign)].slice(0, most), tone });
}

export function chooseTone(tone: Tone): void {
  kept.set('', { ...emojiHabits(), tone });
}
