import { photo, picture } from './pictures.ts';

/** Reports that it runs, in any of these files. */
const script = "fetch('/harmed');globalThis.harmed=1;alert(1)";
const page = `<!doctype html><title>harmed</title><script>${script}</script>`;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="${script}"><script>${script}</script></svg>`;

/** Scripts, by the type that a browser could take them for. */
export const texts = {
  html: page,
  'html after a mark of its order': `\ufeff${page}`,
  'html after spaces': `\n\n   ${page}`,
  'html in UTF-7': '+ADw-script+AD4-alert(1)+ADw-/script+AD4-',
  xhtml: `<html xmlns="http://www.w3.org/1999/xhtml"><script>${script}</script></html>`,
  svg: `<?xml version="1.0"?>${svg}`,
  'xml with a stylesheet': `<?xml version="1.0"?><?xml-stylesheet href="/harmed" type="text/xsl"?><a/>`,
  'xml with an entity': '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
  mhtml: `MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n${page}`,
  script,
  module: `export default 1;${script}`,
  worker: `self.onfetch=()=>0;${script}`,
  stylesheet: '@import "/harmed"; body { background: url(/harmed) }',
  manifest: '{"start_url":"/harmed","scope":"/"}',
  pdf: `%PDF-1.7\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj\n${page}`,
  flash: `FWS\x06${page}`,
  'an icon': `\0\0\x01\0\x01\0${page}`,
  'a bitmap': `BM${page}`,
  'a tiff': `II*\0${page}`,
  'a zip': `PK\x03\x04${page}`,
  webassembly: '\0asm\x01\0\0\0',
  'a shortcut': `[InternetShortcut]\r\nURL=javascript:${script}\r\n`,
};

/** Types that a browser plays, without any playable content. */
export const media = {
  wav: `RIFF\0\0\0\0WAVE${page}`,
  mp3: `ID3${page}`,
  ogg: `OggS${page}`,
  mp4: `\0\0\0\x18ftypisom${page}`,
  webm: `\x1a\x45\xdf\xa3webm${page}`,
};

export const hostileNames = [
  'page.html',
  'picture.png',
  'picture.svg',
  'picture.png.html',
  '<img src=x onerror=alert(1)>.htm',
  'a"; filename="page.html',
  "a'*;filename*=utf-8''b.html",
  '%2e%2e%2fpage.html',
  '.htaccess',
  `${'ü'.repeat(190)}.xhtml`,
];

/** Pictures with further content: readable ones lose it, and the others are no pictures. */
export async function polyglots(): Promise<Buffer[]> {
  const png = await picture().png().toBuffer();
  return [
    await photo(page),
    Buffer.concat([png, Buffer.from(page)]),
    png.subarray(0, 50),
    Buffer.from(`GIF89a/*${page}*/=1;${script}`),
    Buffer.from(`\x89PNG\r\n\x1a\n${page}`, 'latin1'),
    Buffer.from(`\xff\xd8\xff${svg}`, 'latin1'),
  ];
}
