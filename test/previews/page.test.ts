import { expect } from 'chai';
import { readPage } from '../../server/previews/page.ts';

const read = (head: string) =>
  readPage(`<!doctype html><html><head>${head}`, new URL('https://www.example.org/tea/cups'));

describe('the preview of a page', () => {
  it('prefers Open Graph metadata to the title and the description for search engines', () => {
    const head = `<title>Tea – Example</title>
      <meta property="og:title" content="Tea &amp; cake">
      <meta property="og:site_name" content="Example">
      <meta name="description" content="For search engines">
      <meta property="og:description" content=" All about
        tea. ">`;
    expect(read(head)).to.deep.equal({
      ...{ site: 'Example', title: 'Tea & cake', description: 'All about tea.' },
    });
  });

  it('falls back to the title of the page and the host', () => {
    expect(read('<title>\n Tea </title>')).to.deep.equal({ site: 'example.org', title: 'Tea' });
    expect(read('<meta name="twitter:title" content="Tea"><title>Other</title>')).to.include({
      title: 'Tea',
    });
  });

  it('does not exist without a title', () => {
    for (const head of [
      '',
      '<title> </title>',
      '<title>\u202e\u200b</title>',
      '<meta property="og:description" content="Tea">',
      '</head><body><svg><title>A picture</title></svg>',
    ])
      expect(read(head), head).to.equal(undefined);
  });

  it('has no invisible or direction-changing characters, limits stacked marks, and is truncated', () => {
    const { title = '' } = read(`<title>a\u202eb\u0000c&#x200b;d\ue000\ufeff</title>`) ?? {};
    expect(title).to.equal('abc\ufffdd'.replace('\ufffd', ''));
    const piled = read(`<title>e${'\u0301'.repeat(50)}</title>`)?.title;
    expect(piled).to.equal(`e${'\u0301'.repeat(4)}`);
    const long = read(`<title>${'🍵'.repeat(5_000)}</title>`)?.title ?? '';
    expect([...long]).to.have.lengthOf(201);
  });

  it('parses malformed and deeply nested pages without an error', () => {
    for (const head of [
      '<meta a '.repeat(60_000),
      '<title>'.repeat(70_000),
      `<meta ${'a=b '.repeat(120_000)}>`,
      `<meta content="${'&amp;'.repeat(100_000)}" name="description"><title>x</title>`,
      '<div>'.repeat(100_000),
      '&#'.repeat(250_000),
      '<template>'.repeat(50_000),
      `${'<noscript>'.repeat(26_000)}${'</x>'.repeat(60_000)}`,
    ])
      expect(() => read(head.slice(0, 524_288))).not.to.throw();
  });
});
