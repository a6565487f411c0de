import { timelineRoom } from '../../shared/rooms.ts';
import type { ClientSocket } from '../support/person.ts';

export function countPackets(sockets: ClientSocket[], timelineId: string) {
  const room = timelineRoom(timelineId);
  const heardBy = new Map(sockets.map((socket) => [socket, 0]));
  let packets = 0;
  let settle: () => void = () => undefined;
  const listeners = sockets.map((socket) => {
    const hear: Parameters<typeof socket.on<'changes'>>[1] = (told) => {
      if (told.room !== room) return;
      packets += 1;
      heardBy.set(socket, told.to);
      settle();
    };
    socket.on('changes', hear);
    return () => socket.off('changes', hear);
  });
  return async (version: number): Promise<number> => {
    const isHeard = () => [...heardBy.values()].every((heard) => heard >= version);
    await new Promise<void>((resolve) => {
      settle = () => {
        if (isHeard()) resolve();
      };
      settle();
    });
    for (const stop of listeners) stop();
    return packets;
  };
}
