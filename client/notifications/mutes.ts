export const mutes: readonly { label: string; until: (now: Date) => Date | undefined }[] = [
  { label: '1 hour', until: (now) => new Date(now.getTime() + 3_600_000) },
  { label: 'Until tomorrow', until: tomorrow },
  { label: 'Until I unmute', until: () => undefined },
];

function tomorrow(now: Date): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 8);
}
