import { endStates, timedStates } from '../service/load-test.js'
import { markup, type Markup } from './markup.js'

/** All states in the order in which a load test passes through them. */
export const states = [...timedStates, ...endStates] as const

/** A state in words, with a dot of its colour. */
export function stateMark(state: string): Markup {
  return markup`<span class="state"><svg class="spot" viewBox="0 0 10 10" aria-hidden="true"><circle class="${stateClass(state)}" cx="5" cy="5" r="5"/></svg>${state}</span>`
}

export function stateClass(state: string): string {
  return `of-${state.toLowerCase()}`
}
