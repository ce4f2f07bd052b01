/** All modes of the step. */
export const modes = ['run', 'start', 'collect', 'check', 'judge', 'history', 'merge'] as const
export type Mode = (typeof modes)[number]

/** Those without the service: there is no load test to start or to follow. */
export const modesWithoutService = ['judge', 'history', 'merge'] as const satisfies readonly Mode[]
export type ModeWithoutService = (typeof modesWithoutService)[number]

export function isWithoutService(mode: Mode): mode is ModeWithoutService {
  return modesWithoutService.some((one) => one === mode)
}
