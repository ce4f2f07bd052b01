import { readFileSync } from 'node:fs'

/** The pages whose tables quote the program, and where in them; what differs from case to case is …. */
const places = { 'docs/troubleshooting.md': '\n## ', 'docs/gates.md': '\n## Mistakes\n' }

/** What the first columns of their tables quote. */
export function quotes(): string[] {
  return Object.entries(places).flatMap(([page, heading]) => {
    const text = readFileSync(page, 'utf8')
    return text
      .slice(text.indexOf(heading))
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .flatMap((line) =>
        [...(line.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, quote = '']) => quote),
      )
  })
}

/** What the program prints for a quote, on one line. */
export function patternOf(quote: string): RegExp {
  const parts = quote.replaceAll('\\|', '|').replace(/^…|…$/g, '').split('…')
  return new RegExp(
    parts.map((part) => part.trim().replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('[^\\n]{0,500}?'),
  )
}
