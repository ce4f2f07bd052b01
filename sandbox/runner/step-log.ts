import type { SecretMasker } from './secret-masker.js'

/** What the run's page shows for a step. Lines count from 1. */
export interface Annotation {
  kind: 'error' | 'warning' | 'notice'
  message: string
  title?: string
  /** Relative to the workspace if it is in there. */
  file?: string
  line?: number
}

/** The maximum number of annotations of one kind for a step; further ones are only in the log. */
const mostOfAKind = 10
/** Longer messages are cut, in characters. */
const longestMessage = 4096

/** What a reader of one step sees: its log, masked, and its annotations. */
export class StepLog {
  readonly #lines: string[] = []
  readonly #annotations: Annotation[] = []

  constructor(
    private readonly masker: SecretMasker,
    private readonly showsDebug: boolean,
    private readonly onLine: (line: string) => void,
  ) {}

  write(text: string): void {
    for (const line of this.masker.mask(text).split('\n')) {
      this.#lines.push(line)
      this.onLine(line)
    }
  }

  /** Shown only where step debugging is switched on. */
  debug(text: string): void {
    if (!this.showsDebug) return
    for (const line of text.replaceAll('\r\n', '\n').split('\n')) this.write(`##[debug]${line}`)
  }

  error(message: string): void {
    this.annotate({ kind: 'error', message })
  }

  warning(message: string): void {
    this.annotate({ kind: 'warning', message })
  }

  /** Always logs the message; keeps the annotation while there are few of its kind. Only the message is masked. */
  annotate(annotation: Annotation): void {
    const message = this.masker.mask(annotation.message).slice(0, longestMessage)
    if (message === '') return
    const kept = this.#annotations.filter(({ kind }) => kind === annotation.kind).length
    if (kept < mostOfAKind && message.trim() !== '') this.#annotations.push({ ...annotation, message })
    this.write(`##[${annotation.kind}]${message}`)
  }

  get annotations(): readonly Annotation[] {
    return this.#annotations
  }

  /** All lines, joined by line breaks. */
  get text(): string {
    return this.#lines.join('\n')
  }
}
