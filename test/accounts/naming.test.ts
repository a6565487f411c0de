import { expect } from 'chai';
import { looksOf } from '../../server/people/skeletons.ts';
import { DisplayName } from '../../shared/people.ts';
import { ServerName } from '../../shared/servers.ts';

describe('a display name', () => {
  const takes = (name: string) => DisplayName.safeParse(name).success;

  it('uses one alphabet, so that nobody looks like another', () => {
    for (const name of ['Аnn', 'Annа', 'Pаypal', 'Ann Смит', 'Βob', 'Sοfia', 'Ꭺnn', 'Ann ՕՕ'])
      expect(takes(name), name).to.equal(false);
  });

  it('may use any alphabet, and characters that belong to none', () => {
    for (const name of [
      'Ann',
      'Анна Ивановна',
      'Σοφία',
      'Արամ',
      'Zoë 2.0 🦊',
      '山田 Taro',
      'やまだ タロウ',
      'عمر',
      'João d’Ávila-Łęcki',
    ])
      expect(takes(name), name).to.equal(true);
  });

  it('contains no invisible characters and none that change the direction', () => {
    for (const name of ['Ann\u202e', 'A\u200bnn', '\u2066Ann', 'An\u00adn', 'Ann\u{e0041}'])
      expect(takes(name), name).to.equal(false);
    for (const hidden of [
      '\ufe0f',
      '\u{e0100}',
      '\u180b',
      '\u034f',
      '\u2800',
      '\ufffc',
      '\u{1d159}',
    ])
      for (const name of [hidden, `Ann${hidden}`, `A${hidden}nn`])
        expect(takes(name), JSON.stringify(name)).to.equal(false);
  });

  it('contains at least one visible character', () => {
    for (const name of [
      '\u0301',
      '\u0301\u0302',
      '\u{16fe4}',
      '\u3164',
      '\uffa0',
      '\u1160',
      '\u3000',
    ])
      expect(takes(name), JSON.stringify(name)).to.equal(false);
    for (const name of ['7', '…', '♥', 'क', '山', '🦊']) expect(takes(name), name).to.equal(true);
  });

  it('is in NFKC, so that one name is not written in several ways', () => {
    for (const name of ['𝐀𝐥𝐢𝐜𝐞', 'Ａｌｉｃｅ', 'Aⅼice', 'Ⓐⓛⓘⓒⓔ', 'ᴬlice'])
      expect(DisplayName.parse(name)).to.equal('Alice');
    expect(DisplayName.parse('Ann\u00a0\u3000B')).to.equal('Ann  B');
  });

  it('may contain any complete emoji', () => {
    for (const name of ['Ann 👩‍💻', '☺️', '🏴󠁧󠁢󠁥󠁮󠁧󠁿 Ben', 'No 1️⃣', '❤️‍🔥', '🤦🏽‍♀️', '🇳🇴'])
      expect(DisplayName.parse(name)).to.equal(name);
    for (const name of ['Ann\u200d', '👩\u200d', 'a\ufe0f', '🦊\ufe0f\ufe0f', '🏴\u{e0067}'])
      expect(takes(name), JSON.stringify(name)).to.equal(false);
  });
});

describe('a name with joiners', () => {
  it('is accepted where they shape its letters', () => {
    for (const name of ['ශ්‍රී ලංකා', 'പ്രവീണ്‍', 'علی‌رضا', 'गर्‍यो', 'র‍্যাব', 'क्‌ष'])
      expect(DisplayName.parse(name)).to.equal(name);
  });

  it('is refused where they are invisible', () => {
    for (const name of [
      'A\u200cnn',
      'رضا\u200cعلی',
      'क\u200dष',
      'ක්\u200d\u200dෂ',
      '\u200dක්',
      'علی\u200c',
    ])
      expect(DisplayName.safeParse(name).success, JSON.stringify(name)).to.equal(false);
  });

  it('looks like the same name without them', () => {
    for (const name of ['ශ්‍රී', 'علی‌رضا'])
      expect(looksOf(name)).to.equal(looksOf(name.replace(/[\u200c\u200d]/g, '')));
  });
});

describe('a server name', () => {
  it('keeps its spelling except for NFC, and contains no invisible characters', () => {
    for (const name of ['①-start', 'faq…', 'Ｗｉｄｅ', '™', '👩‍💻 devs'])
      expect(ServerName.parse(name)).to.equal(name);
    expect(ServerName.parse('Cafe\u0301')).to.equal('Café');
    for (const name of ['\ufe0f', 'Ours\u{e0100}', '\u2800', '\u0301'])
      expect(ServerName.safeParse(name).success, JSON.stringify(name)).to.equal(false);
  });
});
