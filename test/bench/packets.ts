import { timelineRoom } from '../../shared/rooms.ts';
import type { ClientSocket } from '../support/person.ts';

export function countPackets(sockets: ClientSocket[], timelineId: string) {
  const room = timelineRoom(timelineId);
  const versions = new Map(sockets.map((socket) => [socket, 0]));
  let packets = 0;
  let settle: () => void = () => undefined;
  const listeners = sockets.map((socket) => {
    const onChanges: Parameters<typeof socket.on<'changes'>>[1] = (event) => {
      if (event.room !== room) return;
      packets += 1;
      versions.set(socket, event.to);
      settle();
    };
    socket.on('changes', onChanges);
    return () => socket.off('changes', onChanges);
  });
  return async (version: number): Promise<number> => {
    const isReceived = () => [...versions.values()].every((received) => received >= version);
    await new Promise<void>((resolve) => {
      settle = () => {
        if (isReceived()) resolve();
      };
      settle();
    });
    for (const stop of listeners) stop();
    return packets;
  };
}
