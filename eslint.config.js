import { readdirSync } from 'node:fs'
import path from 'node:path'
import { createNodeResolver, importX } from 'eslint-plugin-import-x'
import tseslint from 'typescript-eslint'

const root = (folder) => path.join(import.meta.dirname, folder)
const src = (folder) => path.join(root('src'), folder)

/** Which folders of src each one may know; any other import is a breach. Data runs one way, and nothing knows the stories. */
const mayKnow = {
  text: [],
  archive: ['unpack', 'text'],
  service: ['text'],
  unpack: ['text'],
  xml: ['text'],
  report: ['unpack', 'xml', 'text'],
  figures: ['report', 'text'],
  language: ['figures', 'report', 'text'],
  noise: ['figures', 'report', 'text'],
  comparison: ['figures', 'noise', 'report', 'text'],
  gates: ['comparison', 'figures', 'language', 'noise', 'report', 'xml', 'text'],
  outcome: ['comparison', 'figures', 'gates', 'language', 'report', 'unpack', 'text'],
  baseline: ['comparison', 'language', 'noise', 'outcome', 'report', 'service', 'text'],
  inputs: ['baseline', 'figures', 'language', 'outcome', 'service', 'text'],
  run: ['inputs', 'outcome', 'service', 'text'],
  start: ['archive', 'inputs', 'outcome', 'run', 'service', 'text'],
  judgement: [
    'baseline',
    'comparison',
    'figures',
    'gates',
    'inputs',
    'language',
    'noise',
    'outcome',
    'report',
    'text',
  ],
  follow: ['inputs', 'judgement', 'outcome', 'report', 'run', 'service', 'start', 'unpack', 'text'],
  publish: ['baseline', 'comparison', 'figures', 'gates', 'inputs', 'language', 'outcome', 'report', 'text'],
  github: ['archive', 'baseline', 'inputs', 'judgement', 'outcome', 'publish', 'run', 'unpack', 'text'],
  actions: [
    'archive',
    'baseline',
    'comparison',
    'follow',
    'figures',
    'gates',
    'inputs',
    'judgement',
    'language',
    'noise',
    'outcome',
    'report',
    'run',
    'service',
    'start',
    'text',
  ],
}
const folders = Object.keys(mayKnow)
/** The files of a folder that others may import, at most three; those of `text` are all open. */
const doors = {
  archive: ['code-archive', 'git'],
  service: ['service', 'project', 'failure'],
  unpack: ['unpack', 'guard', 'zip'],
  xml: ['xml', 'xpath'],
  report: ['report', 'reading/report-reader', 'reading/kept-charts'],
  figures: ['figures', 'metrics', 'numbers'],
  language: ['language', 'gate'],
  noise: ['noise', 'baseline', 'distributions'],
  comparison: ['comparison', 'change-points', 'run-faults'],
  gates: ['gates', 'result', 'suggested-gates'],
  outcome: ['outcome', 'outcome-file', 'code-origin'],
  baseline: ['baseline', 'source'],
  inputs: ['inputs'],
  run: ['run', 'new-copies', 'template'],
  start: ['start'],
  judgement: ['judgement', 'acceptance'],
  follow: ['follow'],
  publish: ['publication', 'markdown/comment'],
  github: ['github', 'job/job'],
  actions: ['actions'],
}
const story = ['index.ts', 'main.ts', 'post.ts']
/** Tools that know neither the step's outcome nor its world. */
const tools = [
  ...['text', 'archive', 'service', 'unpack', 'xml', 'report', 'figures'],
  ...['language', 'noise', 'comparison', 'gates'],
]

const zones = [
  ...folders.map((folder) => ({
    target: src(folder),
    from: [
      ...folders.filter((other) => other !== folder && !mayKnow[folder].includes(other)),
      ...story,
      ...(tools.includes(folder) ? ['world.ts'] : []),
    ].map(src),
  })),
  ...Object.entries(doors).map(([folder, open]) => ({
    target: readdirSync(root('src'))
      .filter((other) => other !== folder)
      .map(src),
    from: src(folder),
    except: open.map((name) => `./${name}.ts`),
    message: 'Other folders import only the doors of a folder: see doors in eslint.config.js.',
  })),
  // What the step is tested against shares nothing with it; the pages beside it may read with its reader.
  ...['service', 'report', 'github', 'runner'].map((folder) => ({
    target: path.join(import.meta.dirname, 'sandbox', folder),
    from: src('.'),
  })),
  // What ships knows nothing of what tries it; the bench measures both.
  { target: root('src'), from: [root('sandbox'), root('bench'), root('scripts'), root('__tests__')] },
  { target: root('sandbox'), from: [root('bench'), root('scripts'), root('__tests__')] },
]

/** Imports name the .js file that would be emitted; in the repository its .ts source stands there. */
const resolver = createNodeResolver({ extensions: ['.ts', '.js'], extensionAlias: { '.js': ['.ts', '.js'] } })

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', '.demo/', '.step/', 'examples/', '__tests__/report/formats/files/'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['*.js', 'scripts/*.js', 'sandbox/web/*.js'] },
      },
    },
    plugins: { 'import-x': importX },
    settings: { 'import-x/resolver-next': [resolver] },
    rules: {
      // `{ count, ...rest }` leaves something out.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      'import-x/no-restricted-paths': ['error', { zones }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidOperator: true },
      ],
      // An async function may fulfil an interface without waiting for anything.
      '@typescript-eslint/require-await': 'off',
      // Code points are what is counted where text is cut.
      '@typescript-eslint/no-misused-spread': ['error', { allow: [{ from: 'lib', name: 'string' }] }],
      '@typescript-eslint/consistent-type-assertions': [
        'error',
        { assertionStyle: 'as', objectLiteralTypeAssertions: 'never' },
      ],
    },
  },
  // What a reader can hold in mind.
  {
    files: ['src/**/*.ts'],
    rules: {
      complexity: ['error', 15],
      'max-params': ['error', 4],
      'max-lines-per-function': ['error', 60],
    },
  },
  { files: ['**/*.js'], ...tseslint.configs.disableTypeChecked },
  ...packageRules(),
)

/** Which folder may use which package; everything else may not. */
function packageRules() {
  const owners = {
    github: ['@actions/core', '@actions/github', '@actions/artifact', '@actions/http-client', 'p-retry'],
    service: ['@actions/http-client', 'p-retry'],
    archive: ['adm-zip', 'ignore'],
    unpack: ['yauzl', 'tar-stream'],
    report: ['csv-parse', 'tar-stream'],
    figures: ['big.js'],
    language: ['big.js', 'yaml'],
    gates: ['big.js'],
    xml: ['saxes', 'fontoxpath'],
    publish: ['d3-scale', 'd3-shape'],
  }
  const all = [...new Set(Object.values(owners).flat())]
  const forbid = (allowed) => ({
    'no-restricted-imports': [
      'error',
      {
        patterns: all
          .filter((name) => !allowed.includes(name))
          .map((name) => ({
            group: [name, `${name}/*`],
            message: `Only its own folder uses ${name}: see eslint.config.js.`,
          })),
      },
    ],
  })
  return [
    { files: ['src/**/*.ts'], rules: forbid([]) },
    ...Object.entries(owners).map(([folder, names]) => ({
      files: [`src/${folder}/**/*.ts`],
      rules: forbid(names),
    })),
    {
      files: ['main', 'plan', 'post', 'runner'].map((name) => `src/${name}.ts`),
      rules: forbid(owners.github),
    },
  ]
}
