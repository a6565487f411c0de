import type { auditCommands } from '../../shared/audit.ts';
import type { Handlers } from '../caller.ts';
import { listAudit } from './reading.ts';

export const auditHandlers: Handlers<keyof typeof auditCommands> = {
  'audit:list': (caller, input) => listAudit(caller, input),
};
