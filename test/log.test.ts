import { expect } from 'chai';
import { withoutValues } from '../server/node/log.ts';
import { query } from '../server/database/database.ts';
import { startApp } from './support/app.ts';

describe('the log', () => {
  it('tells what failed, and nothing of what was to be stored (S-91)', async () => {
    const app = await startApp();
    const failure: unknown = await query(app.app.db, 'select $1::text, $2::no_such_type', [
      'CANARY',
      'CANARY',
    ]).catch((error: unknown) => error);
    // It is there, and would be written.
    expect(JSON.stringify(failure)).to.include('CANARY');
    const written = withoutValues(failure);
    expect(JSON.stringify(written)).to.not.include('CANARY');
    expect(written).to.include({ type: 'SequelizeDatabaseError', code: '42704' });
    expect(written).to.have.property('message').that.includes('no_such_type');
    await app.close();
  });
});
