import type { ReportKind } from '../../shared/reports.ts';

export const kindLabels: Record<ReportKind, string> = {
  spam: 'Spam or scam',
  abuse: 'Harassment or hate',
  harmful: 'Dangerous or illegal',
  other: 'Something else',
};
