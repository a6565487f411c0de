import { expect } from 'chai';
import { Pace } from '../../client/sync/pace.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { connectionTo } from '../support/client-connection.ts';
import type { Person } from '../support/person.ts';
import { until } from '../support/time.ts';

describe('a connection whose page never ends its rest', () => {
  let app: TestApp;
  let ann: Person;
  let connection: ReturnType<typeof connectionTo>;
  let names: string[];
  before(async () => void (app = await startApp()));
  after(() => app.close());

  beforeEach(async () => {
    ann = await app.person('Ann');
    names = [];
    const { url } = app;
    const pace = new Pace({ isHidden: () => false, afterRendering: () => undefined });
    connection = connectionTo({ url, origin: url, cookie: ann.cookie }, {}, { pace });
    connection.on('changes', ({ changes }) => {
      for (const change of changes)
        if (change.type === 'server:joined') names.push(change.server.name);
    });
    connection.open();
    await until(() => connection.isReady);
  });
  afterEach(() => {
    connection.close();
  });

  it('passes on the events before a response, in their order, before the response', async () => {
    for (const name of ['One', 'Two', 'Three']) await ann.send('server:create', { name });
    await until(async () => {
      await connection.send('server:list', {});
      return names.length === 3;
    });
    expect(names).to.deep.equal(['One', 'Two', 'Three']);
  });
});
