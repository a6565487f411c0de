import { expect } from 'chai';
import { withoutValues } from '../../server/node/log.ts';
import { query } from '../../server/database/database.ts';
import { startApp } from '../support/app.ts';

describe('the log', () => {
  it('reports a failed statement without the values that were to be stored (S-91)', async () => {
    const app = await startApp();
    const store = () =>
      query(app.db, 'insert into settings (key, value) values ($1, $1)', ['CANARY']);
    await store();
    const failure: unknown = await store().catch((error: unknown) => error);
    // The value is in the error, and would be logged.
    expect(JSON.stringify(failure)).to.include('CANARY');
    const written = withoutValues(failure);
    expect(JSON.stringify(written)).to.not.include('CANARY');
    expect(written).to.include({ code: '23505' });
    expect(written).to.have.property('message').that.includes('settings');
    await app.close();
  });
});
