/** State of a feature for each node of the process (tests run several), opened at the first use. */
interface PerNode<N extends object, T> {
  (node: N): T;
  put(node: N, state: T): void;
}

export function perNode<N extends object, T>(open: (node: N) => T): PerNode<N, T> {
  const states = new WeakMap<N, T>();
  const put = (node: N, state: T): void => void states.set(node, state);
  const of = (node: N): T => {
    if (!states.has(node)) put(node, open(node));
    return states.get(node) as T;
  };
  return Object.assign(of, { put });
}
