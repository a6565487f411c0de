import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Disables optimizing compilers, because test pages are short-lived. Not used where speed is measured. */
export const testFlags =
  process.env.TEST_LENGTH === undefined ? flags : [...flags, '--js-flags=--no-opt --no-maglev'];

/** In order of preference. The shell without windows takes less than half the processor time of the others. */
const shell = 'chromium-headless-shell';
const names = [shell, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

export const findChromium = (): string => find(names);

/** A Chromium that shows notifications, which the shell refuses. */
export const findWholeChromium = (): string => find(names.filter((name) => name !== shell));

function find(names: string[]): string {
  const { CHROMIUM_PATH, PATH = '' } = process.env;
  if (CHROMIUM_PATH !== undefined) return CHROMIUM_PATH;
  const paths = names.flatMap((name) => PATH.split(delimiter).map((folder) => join(folder, name)));
  const found = paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error('There is no Chromium: name one with CHROMIUM_PATH.');
  return found;
}
