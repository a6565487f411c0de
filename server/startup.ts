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
