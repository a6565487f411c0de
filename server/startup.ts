/** Why Parley does not start: everything that is wrong, each with what to do about it. */
export class StartupProblem extends Error {
  readonly problems: string[];

  constructor(problems: string | string[]) {
    const list = typeof problems === 'string' ? [problems] : problems;
    super(list.join('\n'));
    this.name = 'StartupProblem';
    this.problems = list;
  }
}

/** The line of what stops a program, each problem by itself: of what nobody foresaw, with its place. */
export function problemsOf(error: unknown): string[] {
  if (error instanceof StartupProblem) return error.problems;
  return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
}
