/**
 * Forbids `void` before a promise whose rejection is not handled in the same expression.
 * The expression must call `attempt`, end in `.catch(…)` or `.then(…, …)`, or continue one of these.
 */

/**
 * @typedef {import('estree').Node} Node
 * @typedef {import('estree').UnaryExpression} UnaryExpression
 */

/** @param {Node} node @returns {boolean} */
function isHandled(node) {
  if (node.type !== 'CallExpression') return false;
  const { callee } = node;
  if (callee.type === 'Identifier') return callee.name === 'attempt';
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return false;
  const { name } = callee.property;
  if (name === 'catch' || (name === 'then' && node.arguments.length === 2)) return true;
  return (name === 'then' || name === 'finally') && isHandled(callee.object);
}

/** Allows `=> void list.push(…)`, which only discards a value. @param {Node} node */
const isMethod = (node) =>
  node.type !== 'CallExpression' ||
  (node.callee.type === 'MemberExpression' &&
    node.callee.property.type === 'Identifier' &&
    !['then', 'finally'].includes(node.callee.property.name));

/** @type {import('eslint').Rule.RuleModule} */
export const handledRule = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    /** @param {Node} node */
    const report = (node) =>
      context.report({
        node,
        message: 'Handle the rejection of this promise: call it in `attempt`, or add `.catch`.',
      });
    return {
      /** @param {UnaryExpression} node */
      'ExpressionStatement > UnaryExpression[operator=void]'({ argument }) {
        if (!isHandled(argument)) report(argument);
      },
      /** @param {UnaryExpression} node */
      'ArrowFunctionExpression > UnaryExpression[operator=void].body'({ argument }) {
        if (!isHandled(argument) && !isMethod(argument)) report(argument);
      },
    };
  },
};
