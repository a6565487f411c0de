/** Formats a size in words. Rounds down, because it also reports the space that is left. */
export function sizeText(bytes: number, locale?: string): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${Math.floor(bytes / 1_000)} kB`;
  const [unit, size] =
    bytes < 1_000_000_000 ? (['MB', 1_000_000] as const) : (['GB', 1_000_000_000] as const);
  return `${(Math.floor((bytes * 10) / size) / 10).toLocaleString(locale)} ${unit}`;
}
