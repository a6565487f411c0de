import type { auditCommands } from '../../shared/audit.ts';
import { listAudit } from './reading.ts';
import type { Handlers } from '../caller.ts';

export const auditHandlers: Handlers<keyof typeof auditCommands> = {
  'audit:list': (caller, input) => listAudit(caller, input),
};
