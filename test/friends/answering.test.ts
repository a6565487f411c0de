import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { settled } from '../support/place.ts';
import { until } from '../support/time.ts';
import {
  ask,
  listFriendships,
  receivedTypes,
  waitForChange,
  pair,
  requestsOf,
} from '../support/relationships.ts';

describe('friends: an open request', () => {
  let app: TestApp;
  before(async () => void (app = await startApp()));
  after(() => app.close());

  const codeOf = (error: unknown) => (error as { code: string }).code;

  it('is accepted by its recipient, and by nobody else', async () => {
    const [ann, ben] = await pair(app);
    const { id: requestId } = await ask(ann, ben);
    const accept = { requestId, status: 'accepted' } as const;
    expect((await ann.expectError('friendRequest:update', accept)).code).to.equal('forbidden');
    const cem = await app.person();
    expect((await cem.expectError('friendRequest:update', accept)).code).to.equal('not_found');
    const answer = await ben.send('friendRequest:update', accept);
    expect(answer).to.have.property('friendship').that.includes({ userId: ann.id });
    // A repeated request, as after a lost answer.
    expect(await ben.send('friendRequest:update', accept)).to.deep.equal(answer);
    await waitForChange(ann, 'friendship:created');
    expect((await listFriendships(ann))[0]).to.include({ id: requestId, userId: ben.id });
  });

  it('disappears for its recipient when declined; its sender sees it as before', async () => {
    const [ann, ben] = await pair(app);
    const request = await ask(ann, ben, { note: 'Please' });
    const { id: requestId } = request;
    const receivedBefore = receivedTypes(ann).length;
    await ben.send('friendRequest:update', { requestId, status: 'declined' });
    await waitForChange(ben, 'friendRequest:deleted');
    expect(await requestsOf(ben)).to.deep.equal([]);
    expect((await ann.newTab()).ready).to.have.nested.property('state.friendRequests.length', 1);
    expect(await requestsOf(ann)).to.deep.equal([request]);
    expect(await ask(ann, ben)).to.deep.equal(request);
    const rewritten = await ann.send('friendRequest:update', {
      requestId,
      note: 'Pretty please',
    });
    expect(rewritten).to.have.nested.property('friendRequest.note', 'Pretty please');
    await ann.send('friendRequest:delete', { requestId });
    await ask(ann, ben);
    await until(() => receivedTypes(ann).length >= receivedBefore + 3);
    await settled(ann);
    expect(receivedTypes(ann).slice(receivedBefore)).to.deep.equal([
      'friendRequest:updated',
      'friendRequest:deleted',
      'friendRequest:created',
    ]);
    expect(await requestsOf(ben)).to.deep.equal([]);
    await settled(ben);
    expect(receivedTypes(ben).filter((type) => type !== 'server:joined')).to.deep.equal([
      'friendRequest:created',
      'friendRequest:deleted',
    ]);
    for (const status of ['accepted', 'declined'] as const)
      expect((await ben.expectError('friendRequest:update', { requestId, status })).code).to.equal(
        'not_found',
      );
  });

  it('reappears after a decline when it is sent again after the pause', async () => {
    const [ann, ben] = await pair(app);
    const { id: requestId } = await ask(ann, ben);
    await ben.send('friendRequest:update', { requestId, status: 'declined' });
    await ask(ann, ben);
    expect(await requestsOf(ben)).to.deep.equal([]);
    await query(app.db, `update declines set at = at - interval '8 days' where sender_id = $1`, [
      ann.id,
    ]);
    await ask(ann, ben);
    expect((await requestsOf(ben)).map(({ id }) => id)).to.deep.equal([requestId]);
    await ben.send('friendRequest:update', { requestId, status: 'accepted' });
    expect(await listFriendships(ann)).to.have.lengthOf(1);
  });

  it('becomes a friendship when the person who declined it sends one', async () => {
    const [ann, ben] = await pair(app);
    const { id: requestId } = await ask(ann, ben);
    await ben.send('friendRequest:update', { requestId, status: 'declined' });
    const answer = await ben.send('friendRequest:create', { userId: ann.id });
    expect(answer).to.have.property('friendship');
    expect(await requestsOf(ann)).to.deep.equal([]);
  });

  it('is withdrawn only by its sender', async () => {
    const [ann, ben] = await pair(app);
    const { id: requestId } = await ask(ann, ben);
    expect((await ben.expectError('friendRequest:delete', { requestId })).code).to.equal(
      'forbidden',
    );
    const cem = await app.person();
    expect((await cem.expectError('friendRequest:delete', { requestId })).code).to.equal(
      'not_found',
    );
    await ann.send('friendRequest:delete', { requestId });
    await waitForChange(ben, 'friendRequest:deleted');
    expect(await requestsOf(ben)).to.deep.equal([]);
    expect((await ann.expectError('friendRequest:delete', { requestId })).code).to.equal(
      'not_found',
    );
  });

  it('has one outcome when answered on two devices, or withdrawn at the same time', async () => {
    for (let round = 0; round < 8; round += 1) {
      const [ann, ben] = await pair(app);
      const { id: requestId } = await ask(ann, ben);
      const answers = [
        ben.send('friendRequest:update', { requestId, status: 'accepted' }),
        ben.send('friendRequest:update', { requestId, status: 'accepted' }),
        ...(round % 2 === 0
          ? [ben.send('friendRequest:update', { requestId, status: 'declined' })]
          : [ann.send('friendRequest:delete', { requestId })]),
      ].map((answer) => answer.then(() => 'ok').catch(codeOf));
      const outcomes = await Promise.all(answers);
      expect(outcomes[0], 'two that say the same are answered the same').to.equal(outcomes[1]);
      expect([...outcomes].sort().join()).to.be.oneOf([
        'not_found,ok,ok',
        'not_found,not_found,ok',
      ]);
      const friends = outcomes[0] === 'ok' ? 1 : 0;
      for (const person of [ann, ben])
        expect(await listFriendships(person)).to.have.lengthOf(friends);
      for (const person of [ann, ben]) person.close();
    }
  });
});
