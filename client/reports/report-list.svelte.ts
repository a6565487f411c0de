import { quotas } from '../../shared/quotas.ts';
import type { Report, ReportOutcome } from '../../shared/reports.ts';
import { people } from '../people/people.svelte.ts';
import { WatchedList } from '../session/loaded-list.svelte.ts';
import { send } from '../session/socket.ts';

export class ReportList extends WatchedList<Report> {
  hasMore = $state(false);

  readonly #which: { serverId: string; closed: boolean };
  #wanted: number = quotas.reportsPerPage;

  constructor(serverId: string, closed: boolean) {
    super();
    this.#which = { serverId, closed };
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
