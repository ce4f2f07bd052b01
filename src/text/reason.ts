/** Why a step came to its verdict: a sentence for people, and what it is about, by which the step decides. */
export interface Reason {
  about:
    | 'gate'
    | 'scorecard'
    | 'run'
    | 'second-run'
    | 'report'
    | 'results'
    | 'check'
    | 'leg'
    | 'label'
    | 'inputs'
    | 'credentials'
    | 'step'
  text: string
  /** Of a gate, where it was written. */
  file?: string
  line?: number
  /** It only introduces the next ones, and says nothing on its own. */
  introduces?: true
}

export function reasonsAbout(about: Reason['about'], ...texts: readonly string[]): Reason[] {
  return texts.map((text) => ({ about, text }))
}

/** Adds a full stop if there is none, so that the next sentence can follow. */
export function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}
