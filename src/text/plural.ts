/** A number's digits with their thousands grouped: `12,345.678`; decimals stay as they are. */
export function groupThousands(digits: string): string {
  const [whole = '', ...decimals] = digits.split('.')
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...decimals].join('.')
}

/** `1 request`, `2 requests`, `12,000 requests`. */
export function plural(count: number, noun: string): string {
  return `${groupThousands(String(count))} ${noun}${count === 1 ? '' : 's'}`
}

/** `A, B or C` */
export function anyOf(words: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(words)
}
