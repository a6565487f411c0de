import { SavedMap } from '../device/saved.ts';
import { asRecord } from '../device/storage.ts';
import { isoDay } from '../ui/days.ts';
import { maxRecent, usualSigns, withUse, type Habits } from './frequency.ts';
import { tones } from './tones.ts';

const usual: Habits = { recent: [], tone: '', counts: {}, quick: usualSigns, day: '' };
const savedHabits = new SavedMap<Habits>('emoji', (found) => {
  const { recent, tone, counts, quick, day } = asRecord(found);
  const signs = Array.isArray(quick) ? quick.filter(isSign).slice(0, usualSigns.length) : [];
  return {
    recent: Array.isArray(recent) ? recent.filter(isSign).slice(0, maxRecent) : [],
    tone: tones.find((one) => one === tone) ?? '',
    counts: Object.fromEntries(Object.entries(asRecord(counts)).filter(isCount)),
    quick: signs.length === usualSigns.length ? signs : usualSigns,
    day: typeof day === 'string' ? day : '',
  };
});
const isSign = (found: unknown): found is string => typeof found === 'string';
const isCount = (entry: [string, unknown]): entry is [string, number] =>
  typeof entry[1] === 'number';

export const emojiHabits = (): Habits => savedHabits.get('') ?? usual;

export const quickEmoji = (): readonly string[] => emojiHabits().quick;

export function noteEmoji(sign: string): void {
  savedHabits.set('', withUse(emojiHabits(), sign, isoDay(new Date())));
}

export function chooseTone(tone: Habits['tone']): void {
  savedHabits.set('', { ...emojiHabits(), tone });
}
