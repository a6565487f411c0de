/** The settings of the instance, for its administrators. */
import type { AuditAction } from '../../shared/audit.ts';
import { conflict } from '../../shared/failure.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { recordAudit } from '../audit/audit.ts';
import { transaction, type Db } from '../database/database.ts';
import {
  lockedSettings,
  readInstanceSettings,
  storeSetting,
  type SettingName,
} from '../node/instance-settings.ts';
import { requireAdministrator, type Actor } from './access.ts';
import { runningNodes } from './nodes.ts';
import { lockAccounts } from './store.ts';

const actions: Record<SettingName, AuditAction> = {
  name: 'instance:renamed',
  registration: 'instance:registrationSet',
  guests: 'instance:guestsSet',
  serverCreation: 'instance:serverCreationSet',
};

export async function instanceSettings(actor: Actor): Promise<Output<'instance:get'>> {
  await requireAdministrator(actor.db, actor);
  return read(actor, actor.db);
}

/** Skips values that are already set, so that the audit log records only changes. */
export const updateInstance = (
  actor: Actor,
  input: Parsed<'instance:update'>,
): Promise<Output<'instance:update'>> =>
  transaction(actor.db, async (db) => {
    await requireAdministrator(db, actor);
    if (actor.user !== undefined) await lockAccounts(db, [actor.user.id]);
    await requireAdministrator(db, actor);
    const { config } = actor.node;
    const settings = await readInstanceSettings(db, config);
    const locked = lockedSettings(config);
    for (const name of Object.keys(actions) as SettingName[]) {
      const value = input[name];
      if (value === undefined || value === settings[name]) continue;
      if (locked[name] !== undefined)
        throw conflict(
          `This setting comes from the environment variable ${locked[name]}. Change it there.`,
        );
      await storeSetting(db, name, value);
      await recordAudit(db, actor, { action: actions[name], detail: value });
    }
    return read(actor, db);
  });

const read = async ({ node }: Actor, db: Db): Promise<Output<'instance:get'>> => ({
  settings: await readInstanceSettings(db, node.config),
  locked: lockedSettings(node.config),
  nodes: await runningNodes(db, node),
});
