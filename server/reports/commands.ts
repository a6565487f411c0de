import type { reportCommands } from '../../shared/reports.ts';
import type { Handlers } from '../caller.ts';
import { closeReports, listReports } from './answering.ts';
import { reportMessage } from './reporting.ts';

export const reportHandlers: Handlers<keyof typeof reportCommands> = {
  'report:create': async (caller, input) => (await reportMessage(caller, input), {}),
  'report:list': listReports,
  'report:close': async (caller, input) => (await closeReports(caller, input), {}),
};
