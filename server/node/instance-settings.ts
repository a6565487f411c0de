/**
 * The settings of the instance, which administrators change. Every check reads them from the database, so that a change
 * applies on all nodes immediately; only the sign-in page can be a second late. An environment variable takes precedence.
 */
import { InstanceSettings } from '../../shared/administration.ts';
import type { Config } from '../config.ts';
import { named, query, type Db } from '../database/database.ts';

export type SettingName = keyof InstanceSettings;

const settingVariables = {
  name: 'PARLEY_NAME',
  registration: 'PARLEY_REGISTRATION',
  guests: 'PARLEY_GUESTS',
  serverCreation: 'PARLEY_SERVER_CREATION',
} as const satisfies Record<SettingName, keyof Config>;

const defaults: InstanceSettings = {
  name: '',
  registration: 'open',
  guests: 'open',
  serverCreation: 'everyone',
};

const names = Object.keys(defaults) as SettingName[];
export const settingKey = (name: SettingName): string => `instance.${name}`;

/** The environment variable of each setting that one sets. Such a setting cannot be changed. */
export const lockedSettings = (config: Config): Partial<Record<SettingName, string>> =>
  Object.fromEntries(
    names
      .map((name) => [name, settingVariables[name]] as const)
      .filter(([, variable]) => config[variable] !== undefined),
  );

const stored = named('select key, value from settings where key = any($1::text[])');

export async function readInstanceSettings(db: Db, config: Config): Promise<InstanceSettings> {
  const rows = await query<{ key: string; value: string }>(db, stored, [names.map(settingKey)]);
  return settingsFrom(config, Object.fromEntries(rows.map(({ key, value }) => [key, value])));
}

/** Merges the environment variables and the stored values, by key, into the settings. */
export const settingsFrom = (
  config: Config,
  values: Record<string, string | null>,
): InstanceSettings =>
  InstanceSettings.parse(
    Object.fromEntries(
      names.map((name) => {
        // A value that a newer version has stored may be unknown here.
        const found = InstanceSettings.shape[name].safeParse(values[settingKey(name)]);
        return [name, config[settingVariables[name]] ?? found.data ?? defaults[name]];
      }),
    ),
  );

export async function storeSetting(db: Db, name: SettingName, value: string): Promise<void> {
  await query(
    db,
    `insert into settings (key, value) values ($1, $2)
     on conflict (key) do update set value = excluded.value`,
    [settingKey(name), value],
  );
}
