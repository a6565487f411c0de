import { expect } from 'chai';
import { transaction } from '../../server/database/database.ts';
import { exclusiveWork, tryLockWork } from '../../server/database/locks.ts';
import { connect } from '../../server/database/connect.ts';
import { freshDatabase } from '../support/database.ts';

const works = Object.keys(exclusiveWork) as (keyof typeof exclusiveWork)[];

describe('work that one node does at a time', () => {
  it('blocks the same work on another node, and no other work', async () => {
    const sequelize = connect(await freshDatabase(), 2);
    const db = { sequelize };
    try {
      for (const mine of works)
        await transaction(db, async (within) => {
          expect(await tryLockWork(within, mine)).to.equal(true);
          const others = await transaction(db, async (other) => {
            const got: string[] = [];
            for (const work of works) if (await tryLockWork(other, work)) got.push(work);
            return got;
          });
          expect(others).to.deep.equal(works.filter((work) => work !== mine));
        });
    } finally {
      await sequelize.close();
    }
  });
});
