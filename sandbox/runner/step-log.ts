import { type Annotation, MAX_ANNOTATION_MESSAGE, MAX_ANNOTATIONS_PER_KIND } from './annotation.js'
import type { SecretMasker } from './secret-masker.js'

/** A foldable part of the log. A group that was never closed ends at the next one or at the end of the log. */
export interface LogGroup {
  title: string
  lines: string[]
}

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
    const message = this.masker.mask(annotation.message).slice(0, MAX_ANNOTATION_MESSAGE)
    if (message === '') return
    const kept = this.#annotations.filter(({ kind }) => kind === annotation.kind).length
    if (kept < MAX_ANNOTATIONS_PER_KIND && message.trim() !== '')
      this.#annotations.push({ ...annotation, message })
    this.write(`##[${annotation.kind}]${message}`)
  }

  get annotations(): readonly Annotation[] {
    return this.#annotations
  }

  /** All lines, joined by line breaks. */
  get text(): string {
    return this.#lines.join('\n')
  }

  get groups(): LogGroup[] {
    const groups: LogGroup[] = []
    let open: LogGroup | undefined
    for (const line of this.#lines) {
      if (line.startsWith('##[group]')) {
        open = { title: line.slice('##[group]'.length), lines: [] }
        groups.push(open)
      } else if (line.startsWith('##[endgroup]')) {
        open = undefined
      } else {
        open?.lines.push(line)
      }
    }
    return groups
  }
}
