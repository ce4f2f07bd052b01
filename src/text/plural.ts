/** A number's digits with their thousands grouped: `12,345.678`; decimals stay as they are. */
export function groupThousands(digits: string): string {
  const [whole = '', ...decimals] = digits.split('.')
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...decimals].join('.')
}

/** `1 request`, `2 requests`, `12,000 requests`. */
export function plural(count: number, noun: string): string {
  return `${groupThousands(String(count))} ${noun}${count === 1 ? '' : 's'}`
}

/** `both requests`, `all 12 requests`, `3 of 12 requests`; there is more than one. */
export function someOf(count: number, all: number, noun: string): string {
  if (count < all) return `${groupThousands(String(count))} of ${plural(all, noun)}`
  return all === 2 ? `both ${noun}s` : `all ${plural(all, noun)}`
}

/** `A, B or C` */
export function anyOf(words: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(words)
}
