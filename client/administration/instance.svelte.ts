/** The settings of the instance, while an administrator edits them. They are in no room’s state. */
import type { InstanceSettings } from '../../shared/administration.ts';
import type { Output } from '../../shared/protocol.ts';
import { Form } from '../forms/form.svelte.ts';
import { Attempts } from '../session/loaded-list.svelte.ts';
import { send } from '../session/socket.ts';

type Setting = keyof InstanceSettings;

const labels: Record<Setting, string> = {
  name: 'name',
  registration: 'account creation',
  guests: 'guests',
  serverCreation: 'server creation',
};

/** The fields of `now` that are not as they were. */
const differing = (now: InstanceSettings, before: InstanceSettings): Partial<InstanceSettings> =>
  Object.fromEntries(
    Object.entries(now).filter(([name, value]) => value !== before[name as Setting]),
  );

export class Instance extends Attempts {
  /** Undefined until loaded. */
  edited = $state<InstanceSettings>();
  /** The environment variable of each locked setting. */
  locked = $state.raw<Record<string, string>>({});
  nodes = $state.raw<Output<'instance:get'>['nodes']>([]);
  readonly form = new Form('name');
  #stored = $state.raw<InstanceSettings>();

  readonly #changed = $derived(
    (Object.keys(labels) as Setting[]).filter(
      (name) => this.edited?.[name].trim() !== this.#stored?.[name],
    ),
  );
  readonly unsaved = $derived(this.#changed.map((name) => labels[name]));

  load = (): Promise<void> =>
    this.run(async () => {
      const { settings, locked, nodes } = await send('instance:get', {});
      this.#stored = settings;
      // Another load may have answered first.
      this.edited ??= { ...settings };
      this.locked = locked;
      this.nodes = nodes;
    });

  async save(): Promise<void> {
    const { edited } = this;
    if (!edited) return;
    const before = { ...edited };
    const changes = Object.fromEntries(this.#changed.map((name) => [name, edited[name]]));
    await this.form.submit({}, async () => {
      const { settings } = await send('instance:update', changes);
      this.#stored = settings;
      // Keeps what was edited in the meantime.
      const now = this.edited;
      if (now) this.edited = { ...settings, ...differing(now, before) };
    });
  }

  discard(): void {
    this.edited = this.#stored && { ...this.#stored };
    this.form.reset();
  }
}
