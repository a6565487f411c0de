export const tones = ['', '🏻', '🏼', '🏽', '🏾', '🏿'] as const;
export type Tone = (typeof tones)[number];

export const toneNames: Record<Tone, string> = {
  '': 'Default skin tone',
  '🏻': 'Light skin tone',
  '🏼': 'Medium-light skin tone',
  '🏽': 'Medium skin tone',
  '🏾': 'Medium-dark skin tone',
  '🏿': 'Dark skin tone',
};

// Browsers without the property leave emoji unchanged.
const known = (() => {
  try {
    return new RegExp('^\\p{RGI_Emoji}$', 'v');
  } catch {
    return undefined;
  }
})();

export function inTone(sign: string, tone: Tone): string {
  if (tone === '') return sign;
  const toned = sign.replace(/(\p{Emoji_Modifier_Base})\uFE0F?/gu, `$1${tone}`);
  return known?.test(toned) ? toned : sign;
}
