/** Something that a reader can open; without an address, it is only named. */
export interface Link {
  text: string
  href?: string | undefined
}

/** A table as both Markdown and HTML show it; its text may be foreign, whoever shows it makes it harmless. */
export interface Table {
  title: string
  columns: readonly Column[]
  rows: TableRows<readonly Cell[]>
  /** Names too long for a phone to show anything beside them. */
  hasLongNames?: true
}

/** A list, or rows that are made when they are asked for: of 50,000 a page shows a thousand. */
export type TableRows<T> = Pick<readonly T[], 'length' | 'slice'>

export function rowsOf<One, T>(all: readonly One[], make: (one: One, at: number) => T): TableRows<T> {
  return {
    length: all.length,
    slice: (from = 0, to) => all.slice(from, to).map((one, index) => make(one, from + index)),
  }
}

export interface Column {
  title: string
  numeric?: boolean
}

/** Columns of words, then those of figures. */
export function columnsOf(words: readonly string[], figures: readonly string[] = []): Column[] {
  return [...words.map((title) => ({ title })), ...figures.map((title) => ({ title, numeric: true }))]
}

export interface Cell {
  text: string
  /** A name, or a gate, as it was written, shown as code. */
  code?: true | 'gate'
  /** Its colour; absent for differences within noise. The text always says the same in words. */
  tone?: Tone
  /** Shown before the text where icons are certain to be drawn; the text says the same. */
  icon?: string
  /** The gate that gave it, as it was written. */
  gate?: string
  /** A sentence below or after the text. */
  detail?: string
  /** More figures, on a separate line below all that. */
  below?: string
  /** On a separate line below the text, or alone where there is none. */
  links?: readonly Link[]
}

/** Such a detail stands beside its text in parentheses, a longer one below it. */
export function isShort(detail: string): boolean {
  return detail.length <= 24
}

export type Tone = 'good' | 'bad' | 'caution'
