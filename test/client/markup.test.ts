/** The edits by the markup keys. `⟨` and `⟩` mark the selection. */
import { expect } from 'chai';
import {
  markerTwice,
  newLine,
  wrap,
  wrapCode,
  wrapLink,
  type TextEdit,
  type Field,
} from '../../client/writing/markup.ts';

function fieldOf(marked: string): Field {
  const from = marked.indexOf('⟨');
  const to = marked.indexOf('⟩') - 1;
  return { text: marked.replace(/[⟨⟩]/g, ''), from, to };
}

function after(marked: string, change: (field: Field) => TextEdit | undefined): string | undefined {
  const { text } = fieldOf(marked);
  const edit = change(fieldOf(marked));
  if (!edit) return undefined;
  const next = text.slice(0, edit.start) + edit.text + text.slice(edit.end);
  return `${next.slice(0, edit.from)}⟨${next.slice(edit.from, edit.to)}⟩${next.slice(edit.to)}`;
}

describe('markup by keys', () => {
  const bold = (field: Field) => wrap(field, '**');
  const italic = (field: Field) => wrap(field, '*');

  it('wraps the selection, and removes the marks again', () => {
    expect(after('a ⟨b c⟩ d', bold)).to.equal('a **⟨b c⟩** d');
    expect(after('a **⟨b c⟩** d', bold)).to.equal('a ⟨b c⟩ d');
    expect(after('a ⟨⟩', bold)).to.equal('a **⟨⟩**');
    expect(after('a *⟨b⟩*', italic)).to.equal('a ⟨b⟩');
    expect(after('a **⟨b⟩**', italic), 'bold is not twice italic').to.equal('a ***⟨b⟩***');
    expect(after('⟨a⟩*', italic)).to.equal('*⟨a⟩**');
  });

  it('makes code of a part of a line, and a block of several lines', () => {
    expect(after('run ⟨npm test⟩', wrapCode)).to.equal('run `⟨npm test⟩`');
    expect(after('⟨a\nb⟩', wrapCode)).to.equal('```\n⟨a\nb⟩\n```');
    expect(after('x ⟨a\nb⟩', wrapCode)).to.equal('x \n```\n⟨a\nb⟩\n```');
  });

  it('makes a link of words, or of an address', () => {
    expect(after('see ⟨the plan⟩ now', wrapLink)).to.equal('see [the plan](⟨⟩) now');
    expect(after('see ⟨https://a.example/x⟩', wrapLink)).to.equal('see [⟨⟩](https://a.example/x)');
  });

  it('continues a list, a task or a quote on a new line, and ends it on an empty one', () => {
    expect(after('- a⟨⟩', newLine)).to.equal('- a\n- ⟨⟩');
    expect(after('  * a⟨⟩ b', newLine)).to.equal('  * a\n  * ⟨⟩ b');
    expect(after('9. a⟨⟩', newLine)).to.equal('9. a\n10. ⟨⟩');
    expect(after('2) a⟨⟩', newLine)).to.equal('2) a\n3) ⟨⟩');
    expect(after('- [x] a⟨⟩', newLine)).to.equal('- [x] a\n- [ ] ⟨⟩');
    expect(after('> > a⟨⟩', newLine)).to.equal('> > a\n> > ⟨⟩');
    expect(after('- a\n- ⟨⟩', newLine)).to.equal('- a\n⟨⟩');
    expect(after('> a\n> ⟨⟩', newLine)).to.equal('> a\n⟨⟩');
  });

  it('keeps a new line of a code block in its list or quote', () => {
    for (const [text, expected] of [
      ['```⟨⟩', '```\n⟨⟩'],
      ['```\n    a⟨⟩', '```\n    a\n⟨⟩'],
      ['- ```⟨⟩', '- ```\n  ⟨⟩'],
      ['- ```\n      a⟨⟩', '- ```\n      a\n  ⟨⟩'],
      ['10. b\n    ```\n    a⟨⟩ c', '10. b\n    ```\n    a\n    ⟨⟩ c'],
      ['> ```js⟨⟩', '> ```js\n> ⟨⟩'],
      ["```sh\n  echo '```js'⟨⟩", "```sh\n  echo '```js'\n⟨⟩"],
      ['````md\n- a\n  ```js\n  x⟨⟩', '````md\n- a\n  ```js\n  x\n⟨⟩'],
      ['- > ```⟨⟩', '- > ```\n  > ⟨⟩'],
      ['> - ```\n>   a⟨⟩', '> - ```\n>   a\n>   ⟨⟩'],
    ] as const)
      expect(after(text, newLine), text).to.equal(expected);
    for (const text of ['```\na\n```⟨⟩', 'a ```⟨⟩', '> ```\nafter⟨⟩'])
      expect(after(text, newLine), text).to.equal(undefined);
    expect(after('- ```\n  a\n  ```\n- b⟨⟩', newLine)).to.equal('- ```\n  a\n  ```\n- b\n- ⟨⟩');
  });

  it('keeps only the typed marker when one is typed behind an inserted one', () => {
    expect(after('- a\n- -⟨⟩', markerTwice)).to.equal('- a\n- ⟨⟩');
    expect(after('  * a\n  * -⟨⟩', markerTwice)).to.equal('  * a\n  - ⟨⟩');
    expect(after('1. a\n2. 3.⟨⟩', markerTwice)).to.equal('1. a\n3. ⟨⟩');
    for (const text of ['- -⟨⟩', 'a\n- -⟨⟩', '- a\n-⟨⟩', '- a\n- b -⟨⟩', '1. a\n2. -⟨⟩'])
      expect(after(text, markerTwice), text).to.equal(undefined);
  });

  it('does not change other lines', () => {
    for (const text of ['a⟨⟩', '', '⟨⟩- a', '-a⟨⟩', '- a\nb⟨⟩', '1.a⟨⟩'])
      expect(after(text || '⟨⟩', newLine), text).to.equal(undefined);
  });
});
