/**
 * A rejection that nobody hears: `void` before a promise is allowed only if its rejection is handled there.
 * The expression is a call of `attempt`, ends in `.catch(…)` or `.then(…, …)`, or continues such a one.
 */

/**
 * @typedef {import('estree').Node} Node
 * @typedef {import('estree').UnaryExpression} UnaryExpression
 */

/** @param {Node} node @returns {boolean} */
function isHeard(node) {
  if (node.type !== 'CallExpression') return false;
  const { callee } = node;
  if (callee.type === 'Identifier') return callee.name === 'attempt';
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return false;
  const { name } = callee.property;
  if (name === 'catch' || (name === 'then' && node.arguments.length === 2)) return true;
  return (name === 'then' || name === 'finally') && isHeard(callee.object);
}

/**
 * `=> void list.push(…)` returns nothing on purpose, so the body of a function may be a call of a method.
 * @param {Node} node
 */
const isMethod = (node) =>
  node.type !== 'CallExpression' ||
  (node.callee.type === 'MemberExpression' &&
    node.callee.property.type === 'Identifier' &&
    !['then', 'finally'].includes(node.callee.property.name));

/** @type {import('eslint').Rule.RuleModule} */
export const heardRule = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    /** @param {Node} node */
    const report = (node) =>
      context.report({
        node,
        message: 'Handle its rejection: call it in `attempt`, or add `.catch`.',
      });
    return {
      /** @param {UnaryExpression} node */
      'ExpressionStatement > UnaryExpression[operator=void]'({ argument }) {
        if (!isHeard(argument)) report(argument);
      },
      /** @param {UnaryExpression} node */
      'ArrowFunctionExpression > UnaryExpression[operator=void].body'({ argument }) {
        if (!isHeard(argument) && !isMethod(argument)) report(argument);
      },
    };
  },
};
