import { runShortcut, type Shortcut } from '../keyboard/shortcuts.ts';
import { isKey } from '../ui/keys.ts';
import { typeText } from '../ui/typing.ts';
import {
  markerTwice,
  newLine,
  wrap,
  wrapCode,
  wrapLink,
  type TextEdit,
  type Field,
} from './markup.ts';

type Area = HTMLTextAreaElement;

const fieldOf = ({ value, selectionStart, selectionEnd }: Area): Field => ({
  ...{ text: value, from: selectionStart, to: selectionEnd },
});

function apply(area: Area, { start, end, text, from, to }: TextEdit): void {
  area.setSelectionRange(start, end);
  typeText(area, text);
  area.setSelectionRange(from, to);
}

const by = (change: (field: Field) => TextEdit) => (area: Area) => {
  apply(area, change(fieldOf(area)));
};

export const writingShortcuts: readonly Shortcut<Area>[] = [
  { keys: ['Mod+b'], does: 'Bold', act: by((field) => wrap(field, '**')) },
  { keys: ['Mod+i'], does: 'Italic', act: by((field) => wrap(field, '*')) },
  { keys: ['Mod+Shift+c'], does: 'Code', act: by(wrapCode) },
  {
    keys: ['Mod+k'],
    does: 'Link the selected text',
    // Without a selection the key opens the quick switcher, as everywhere.
    act: (area) => (area.selectionStart === area.selectionEnd ? false : by(wrapLink)(area)),
  },
];

/** Returns whether the key edited the text: marks around the selection, or the next line of a list or quote. */
export function writingKey(
  event: KeyboardEvent & { currentTarget: Area },
  isNewLine: boolean,
): boolean {
  const area = event.currentTarget;
  if (runShortcut(writingShortcuts, event, area)) {
    event.stopPropagation();
    return true;
  }
  const edit = isKey(event, ' ')
    ? markerTwice(fieldOf(area))
    : isNewLine && isKey(event, event.shiftKey ? 'Shift+Enter' : 'Enter')
      ? newLine(fieldOf(area))
      : undefined;
  if (!edit) return false;
  event.preventDefault();
  apply(area, edit);
  return true;
}
