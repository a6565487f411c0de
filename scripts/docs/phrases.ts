/** Finds the texts that people read in a source file, by its syntax tree: markup, attributes, strings. */
import { parse } from 'svelte/compiler';
import { parser } from 'typescript-eslint';

/** A node of either tree: Svelte’s for markup, ESTree for code. */
interface Node {
  type: string;
  [key: string]: unknown;
}

/** Returns each text once, in the order of the source, with inserted values in braces. */
export function phrasesIn(path: string, source: string): string[] {
  const found: string[] = [];
  visit(treeOf(path, source), undefined, '', found);
  return [...new Set(found)];
}

function treeOf(path: string, source: string): Node {
  const tree: unknown = path.endsWith('.svelte')
    ? parse(source, { modern: true })
    : parser.parseForESLint(source).ast;
  if (!isNode(tree)) throw new Error(`${path} can’t be parsed`);
  return tree;
}

const skipped =
  /^(?:TSType|TSInterface|TSLiteral|Import|ExportAll|StyleSheet|StyleDirective|ClassDirective|Comment)/;
const silentAttributes = new Set(['class', 'href', 'style', 'name', 'type', 'id', 'd', 'src']);

function visit(node: Node, parent: Node | undefined, key: string, found: string[]): void {
  if (skipped.test(node.type) || isSilent(node, parent, key)) return;
  if (node.type === 'Fragment') {
    markup(node, found);
    return;
  }
  if (isWording(node)) {
    const text = tidy(wording(node));
    if (reads(text)) found.push(text);
    return;
  }
  if (node.type === 'Attribute' && Array.isArray(node.value)) {
    const text = tidy(node.value.map((part: Node) => inline(part, found)).join(''));
    if (reads(text)) found.push(text);
    return;
  }
  for (const [name, child] of Object.entries(node))
    for (const one of Array.isArray(child) ? child : [child])
      if (isNode(one) && name !== 'parent') visit(one, node, name, found);
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** True for a string that is compared, looked up or a name, and for silent attributes: these are not texts. */
function isSilent(node: Node, parent: Node | undefined, key: string): boolean {
  if (node.type === 'Attribute') return silentAttributes.has(String(node.name));
  if (node.type === 'TaggedTemplateExpression') return true;
  if (parent?.type === 'BinaryExpression') return parent.operator !== '+' && isWording(node);
  if (parent?.type === 'SwitchCase') return key === 'test';
  if (parent?.type === 'Property' || parent?.type === 'MemberExpression')
    return (key === 'key' || key === 'property') && isWording(node);
  return false;
}

/** Joins a run of text and inserted values to one text, through the elements within a line. */
function markup(fragment: Node, found: string[]): void {
  const nodes = fragment.nodes as Node[];
  const said = nodes.some((node) => node.type === 'Text' && /\p{L}/u.test(String(node.data)));
  if (said) {
    const text = tidy(nodes.map((node) => inline(node, found)).join(''));
    if (text !== '') found.push(text);
  } else for (const node of nodes) visit(node, fragment, 'nodes', found);
}

/** Returns the text of a node within a line. Its attributes, and blocks within it, are separate texts. */
function inline(node: Node, found: string[]): string {
  if (node.type === 'Text') return String(node.data);
  if (node.type === 'ExpressionTag') return filled(node.expression as Node, found);
  if (node.type === 'IfBlock') return choice(node, found);
  if (node.type === 'RegularElement' || node.type === 'Component') {
    for (const attribute of node.attributes as Node[]) visit(attribute, node, 'attributes', found);
    const inside = (node.fragment as Node).nodes as Node[];
    if (inside.length === 0)
      return node.type === 'Component' && node.name !== 'Icon' ? `{${String(node.name)}}` : ' ';
    return inside.map((one) => inline(one, found)).join('');
  }
  visit(node, undefined, '', found);
  return '';
}

function choice(block: Node, found: string[]): string {
  const ways = [block.consequent, block.alternate].filter(isNode);
  return `{${ways
    .map((way) =>
      tidy((way.nodes as Node[]).map((node) => inline(node, found)).join('')).replace(
        /^\{(.*)\}$/s,
        '$1',
      ),
    )
    .join(' | ')}}`;
}

const isWording = ({ type, value, operator, left, right }: Node): boolean =>
  type === 'TemplateLiteral' ||
  (type === 'Literal' && typeof value === 'string') ||
  (type === 'BinaryExpression' && operator === '+' && [left, right].filter(isNode).some(isWording));

function wording(node: Node): string {
  if (node.type === 'Literal') return String(node.value);
  if (node.type === 'BinaryExpression')
    return [node.left, node.right].map((side) => filled(side as Node, [])).join('');
  const quasis = node.quasis as { value: { cooked: string } }[];
  const holes = node.expressions as Node[];
  return quasis
    .map(({ value }, at) => value.cooked + (holes[at] ? filled(holes[at], []) : ''))
    .join('');
}

/** Returns what represents an inserted value: its name, or the words that are chosen from. */
function filled(node: Node, found: string[]): string {
  if (isWording(node)) return wording(node);
  return `{${named(node, found)}}`;
}

function named(node: Node, found: string[]): string {
  if (isWording(node)) return wording(node);
  if (node.type === 'ConditionalExpression')
    return [node.consequent, node.alternate].map((way) => named(way as Node, found)).join(' | ');
  if (node.type === 'LogicalExpression')
    return [node.left, node.right].map((way) => named(way as Node, found)).join(' | ');
  if (node.type === 'Identifier') return String(node.name);
  if (node.type === 'MemberExpression') return named(node.property as Node, found);
  if (node.type === 'ChainExpression') return named(node.expression as Node, found);
  if (node.type === 'CallExpression') {
    for (const argument of node.arguments as Node[]) visit(argument, node, 'arguments', found);
    return named(node.callee as Node, found);
  }
  return '…';
}

const tidy = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

/** True for text that begins like a sentence and is not a query: it is for people, and no key, event or path. */
const reads = (text: string) =>
  /^(?:\p{Lu}\p{Ll}|[A-Z_]+: |[IA@\d“{])/u.test(text) &&
  /\p{L}\p{L}[^ ]* ?[^ ]|^\p{Lu}\p{Ll}+$/u.test(text) &&
  (text.includes(' ') || /^\p{Lu}[\p{Ll}’]+[.?…:]?$/u.test(text)) &&
  !/\$\d|redis\.call|^\{\w+\} (?:where|and) /.test(text);
