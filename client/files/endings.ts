/** Names the kind of a file by the ending of its name. The name can be wrong, so nothing else depends on it. */
const endings: Record<string, string> = {
  PDF: 'pdf',
  'Zip archive': 'zip',
  Archive: '7z gz rar tar tgz xz',
  Text: 'log md rtf txt',
  Document: 'doc docx odt',
  Spreadsheet: 'csv ods xls xlsx',
  Presentation: 'odp ppt pptx',
  'Web page': 'htm html',
  Picture: 'avif bmp gif heic jpeg jpg png svg tif tiff webp',
  Audio: 'aac flac m4a mp3 ogg opus wav',
  Video: 'avi mkv mov mp4 mpg webm',
  Book: 'epub',
  Calendar: 'ics',
  Contact: 'vcf',
  Email: 'eml',
  Code: 'c cpp css go java js json py rs sh sql ts xml yaml',
  Program: 'apk bat cmd dmg exe jar msi',
};

const kinds = new Map(
  Object.entries(endings).flatMap(([kind, all]) =>
    all.split(' ').map((ending) => [ending, kind] as const),
  ),
);

/** The last ending counts: `bill.pdf.exe` is a program. */
export function kindText(name: string): string {
  const [, ending = ''] = /\.([a-z\d]{1,10})$/i.exec(name) ?? [];
  return kinds.get(ending.toLowerCase()) ?? (ending ? `${ending.toUpperCase()} file` : 'File');
}
