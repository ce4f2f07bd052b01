/** The modes of the action at the root of the repository, which is about a load test. */
export const modes = ['run', 'start', 'collect', 'check'] as const
export type Mode = (typeof modes)[number]

/** The actions in folders of these names. They use no service: there is no load test to start or to follow. */
export const ownActions = ['judge', 'merge', 'history'] as const
export type OwnAction = (typeof ownActions)[number]

/** Whether a step of that mode starts a load test. */
export function startsRun(mode: Mode | OwnAction): mode is 'run' | 'start' {
  return mode === 'run' || mode === 'start'
}

/** What is done with one load test, or with the report of one. */
export type LoadTestMode = Exclude<Mode, 'check'> | 'judge'

export type ActionName = 'load-test' | OwnAction

/** @param name of the file in dist/ that the runner started, without its extension: each action has its own */
export function actionOf(name: string): ActionName {
  return ownActions.find((one) => one === name) ?? 'load-test'
}
