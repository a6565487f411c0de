import { spawnSync } from 'node:child_process';

/** The first Python that has a Socket.IO client: Debian’s packages belong to its own, whatever else is on the PATH. */
export function findPython() {
  return ['python3', '/usr/bin/python3'].find((python) => {
    const { status } = spawnSync(python, ['-c', 'import socketio, websocket'], { stdio: 'ignore' });
    return status === 0;
  });
}
