import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build, type Plugin } from 'esbuild'
import ts from 'typescript'
import { ownActions } from '../../src/outcome/kinds.js'

/** A folder with all actions, built from src with other words: each text that people read has another letter. */
export async function otherWords(): Promise<{ folder: string; changed: number }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'other-words-'))
  const dist = path.join(folder, 'dist')
  let changed = 0
  const misspelt: Plugin = {
    name: 'misspelt',
    setup(builder) {
      builder.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path: file }) => {
        const made = withOtherWords(readFileSync(file, 'utf8'))
        changed += made.changed
        return { contents: made.text, loader: 'ts' }
      })
    },
  }
  const workers = ['src/archive/deflate-worker.ts', 'src/gates/xpath/xpath-worker.ts']
  await build({
    entryPoints: ['src/index.ts', ...workers],
    entryNames: '[name]',
    outdir: dist,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    splitting: true,
    // Packages in CommonJS ask for the modules of Node.
    banner: {
      js: "import * as ofModule from 'node:module'; const require = ofModule.createRequire(import.meta.url);",
    },
    plugins: [misspelt],
    logLevel: 'error',
  })
  cpSync('action.yml', path.join(folder, 'action.yml'))
  for (const name of ownActions) {
    mkdirSync(path.join(folder, name))
    cpSync(path.join(name, 'action.yml'), path.join(folder, name, 'action.yml'))
  }
  for (const name of [...ownActions, 'post']) cpSync(`dist/${name}.js`, path.join(dist, `${name}.js`))
  cpSync('package.json', path.join(folder, 'package.json'))
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'))
  return { folder, changed }
}

/** The places in a source where people read something, and the source with another letter in each of them. */
export function withOtherWords(source: string): { text: string; changed: number } {
  const file = ts.createSourceFile('x.ts', source, ts.ScriptTarget.Latest, true)
  const at: number[] = []
  const visit = (node: ts.Node): void => {
    // What a module is called, a type, and what a field is called are nobody's words.
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return
    const isText =
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddle(node) ||
      ts.isTemplateTail(node)
    if (isText && isProse(node.text)) {
      const start = node.getStart(file)
      const letter = source.slice(start, node.end).search(/(?<![\\$\w-])[A-Za-z]?[a-z]{2,}(?![\w-]*[-_/])/)
      if (letter >= 0) at.push(start + letter + 1)
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  // Which letter depends on the place: two rooms that make the same sentence no longer agree.
  const text = at.reduceRight((made, index) => {
    const letter = String.fromCharCode(97 + (index % 26))
    const other = letter === made[index] ? (letter === 'z' ? 'y' : 'z') : letter
    return made.slice(0, index) + other + made.slice(index + 1)
  }, source)
  return { text, changed: at.length }
}

/** Words between blanks. Markup, style sheets, queries, and what programs read of each other are none. */
function isProse(text: string): boolean {
  if (/[<>{};=]|^\s*(?:Bearer|Basic|attachment|bytes|query|mutation)\b|::|^\w+: \w+$/.test(text)) return false
  return /[a-z]{2,} [a-z]|^ [a-z]{3,}|[a-z]{3,} $|^[A-Z][a-z]{2,} /.test(text)
}
