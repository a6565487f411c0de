/** Highlights code in its own thread, so that no code can block the page. */
import { createLowlight } from 'lowlight';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import graphql from 'highlight.js/lib/languages/graphql';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import lua from 'highlight.js/lib/languages/lua';
import makefile from 'highlight.js/lib/languages/makefile';
import markdown from 'highlight.js/lib/languages/markdown';
import nginx from 'highlight.js/lib/languages/nginx';
import perl from 'highlight.js/lib/languages/perl';
import php from 'highlight.js/lib/languages/php';
import plaintext from 'highlight.js/lib/languages/plaintext';
import powershell from 'highlight.js/lib/languages/powershell';
import python from 'highlight.js/lib/languages/python';
import r from 'highlight.js/lib/languages/r';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import scss from 'highlight.js/lib/languages/scss';
import shell from 'highlight.js/lib/languages/shell';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import type { HighlightRequest, Piece, HighlightReply } from './pieces.ts';

const reader = createLowlight({
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  graphql,
  ini,
  java,
  javascript,
  json,
  kotlin,
  lua,
  makefile,
  markdown,
  nginx,
  perl,
  php,
  plaintext,
  powershell,
  python,
  r,
  ruby,
  rust,
  scss,
  shell,
  sql,
  swift,
  typescript,
  xml,
  yaml,
});

type Root = ReturnType<typeof reader.highlight>;
type Node = Root['children'][number];

addEventListener('message', ({ data }: MessageEvent<HighlightRequest>) => {
  const { id, language, text } = data;
  postMessage('reading');
  const pieces = reader.registered(language) ? flat(reader.highlight(language, text)) : undefined;
  postMessage({ id, pieces } satisfies HighlightReply);
});

const flat = ({ children }: Root): Piece[] => children.flatMap((node) => piecesOf(node, ''));

/** Each text gets its innermost kind. */
function piecesOf(node: Node, kind: string): Piece[] {
  if (node.type === 'text') return [{ text: node.value, kind }];
  if (node.type !== 'element') return [];
  const [name] = Array.isArray(node.properties.className) ? node.properties.className : [];
  const own = typeof name === 'string' ? name.replace('hljs-', '') : kind;
  return node.children.flatMap((child) => piecesOf(child, own));
}
