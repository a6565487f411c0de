/** Prevents the start of Parley. Each problem comes with its remedy. */
export class StartupProblem extends Error {
  readonly problems: string[];

  constructor(problems: string | string[]) {
    const list = typeof problems === 'string' ? [problems] : problems;
    super(list.join('\n'));
    this.name = 'StartupProblem';
    this.problems = list;
  }
}

export function problemsOf(error: unknown): string[] {
  if (error instanceof StartupProblem) return error.problems;
  return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
}
