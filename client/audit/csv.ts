/** Comma-separated values (RFC 4180) that spreadsheets read as text. */

/**
 * Prevents formula injection: a spreadsheet runs a cell that begins like this. A leading apostrophe makes it text. If the
 * text has leading apostrophes already, it gets one more, so that removing one restores it.
 */
const formula = /^'*[=+\-@\t\r]/;

export const csvCell = (text: string): string =>
  `"${(formula.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`;
