/** Parley’s own lint rules: the parts of its architecture that types cannot express. */
import { bordersRule } from './borders.js';
import { cyclesRule } from './cycles.js';
import { dependenciesRule } from './dependencies.js';
import { handledRule } from './handled.js';

/**
 * Returns a rule that forbids one kind of syntax. eslint.config.js switches it off by name where it does not apply.
 * @param {string} selector
 * @param {string} message
 * @returns {import('eslint').Rule.RuleModule}
 */
const forbid = (selector, message) => ({
  meta: { type: 'problem', schema: [] },
  create: (context) => ({
    [selector](/** @type {import('estree').Node} */ node) {
      context.report({ node, message });
    },
  }),
});

/** @type {import('eslint').ESLint.Plugin} */
export const parley = {
  rules: {
    borders: bordersRule,
    'no-cycle': cyclesRule,
    dependencies: dependenciesRule,
    handled: handledRule,
    'catch-at-the-door': forbid(
      'CatchClause',
      'Don’t catch here: throw a ChatError. Only the files listed in eslint.config.js catch errors.',
    ),
    'one-way-out': forbid(
      'MemberExpression[property.name=/^(local|serverSideEmit|serverSideEmitWithAck)$/]',
      'Only sockets.ts can emit to rooms: publish a change, or broadcast an event.',
    ),
    'no-barrel': forbid(
      'ExportAllDeclaration',
      'Don’t re-export all of another file: import from the file that defines the name.',
    ),
  },
};
