import { quotas } from '../../shared/quotas.ts';
import type { Report, ReportOutcome } from '../../shared/reports.ts';
import { people } from '../people/people.svelte.ts';
import { LoadedList } from '../session/loaded-list.svelte.ts';
import { send } from '../session/socket.ts';

const loadEveryMs = 1_000;

export class ReportList extends LoadedList<Report> {
  hasMore = $state(false);

  readonly #which: { serverId: string; closed: boolean };
  #wanted: number = quotas.reportsPerPage;
  #loading: Promise<void> | undefined;
  /** How often the list was requested. */
  #requests = 0;

  constructor(serverId: string, closed: boolean) {
    super();
    this.#which = { serverId, closed };
  }

  /** Loads the list once more after a load under way, which can have missed what changed since. */
  override load(): Promise<void> {
    this.#requests += 1;
    return (this.#loading ??= this.#loadUntilCurrent());
  }

  async #loadUntilCurrent() {
    let answered = 0;
    while (answered < this.#requests) {
      answered = this.#requests;
      await super.load();
      // While many people report, each report asks for a load.
      await new Promise((resolve) => setTimeout(resolve, loadEveryMs));
    }
    this.#loading = undefined;
    this.#requests = 0;
  }

  /** As many as the list has shown before, or all. */
  protected async read() {
    const found: Report[] = [];
    let more = true;
    while (more && found.length < this.#wanted) {
      const page = await send('report:list', { ...this.#which, after: found.at(-1)?.messageId });
      people.receive(page.people);
      found.push(...page.reports);
      more = page.more.after;
    }
    this.hasMore = more;
    return found;
  }

  loadMore(): Promise<void> {
    this.#wanted += quotas.reportsPerPage;
    return this.load();
  }

  async close({ messageId }: Report, outcome: ReportOutcome) {
    const { serverId } = this.#which;
    await send('report:close', { serverId, messageIds: [messageId], outcome });
    this.list = this.list?.filter((one) => one.messageId !== messageId);
  }

  async deleteMessage(report: Report) {
    await send('message:delete', { messageId: report.messageId });
    await this.close(report, 'handled');
  }
}
