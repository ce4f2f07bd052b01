import { ofAccess } from './assumptions/access.js'
import { ofReport } from './assumptions/report.js'
import { ofStart } from './assumptions/start.js'
import { ofTemplate } from './assumptions/template.js'

/** All that the step assumes; what the interface leaves open has one setting each. In the order of a run. */
export const assumptions = [...ofAccess, ...ofTemplate, ...ofStart, ...ofReport] as const

type Row = (typeof assumptions)[number]
type Wide<T> = T extends string ? string : T extends number ? number : boolean
type Value<R extends Row> = R extends { free: true } | { as: boolean }
  ? Wide<R['as']>
  : R['as'] | R['or'][number]

/** The settings about what the interface leaves open, or a deployment may do otherwise. */
export type OpenQuestions = { -readonly [R in Row as R['setting']]: Value<R> }

const isComplete = (settings: object): settings is OpenQuestions =>
  assumptions.every(({ setting }) => setting in settings)

function assumed(): OpenQuestions {
  const settings: object = Object.fromEntries(assumptions.map((row) => [row.setting, row.as]))
  if (!isComplete(settings)) throw new Error('An assumption has no value.')
  return settings
}

/** What the step assumes. */
export const asAssumed: Readonly<OpenQuestions> = assumed()
