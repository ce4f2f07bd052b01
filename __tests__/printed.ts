import { readFileSync } from 'node:fs'

/** The pages whose tables quote the program, and where in them; what differs from case to case is …. */
const places = { 'docs/troubleshooting.md': '\n## ', 'docs/gates.md': '\n## Mistakes\n' }

/** What the first columns of their tables quote, and the examples of lines with figures in README and gates. */
export function quotes(): string[] {
  const examples = ['README.md', 'docs/gates.md'].flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/`(value [^`]*samples\)|requests [^`]* # [^`]*)`/g)].map(
      ([, example = '']) => example.replace(/[+±]?\d[\d,.]*/g, '…'),
    ),
  )
  const tables = Object.entries(places).flatMap(([page, heading]) => {
    const text = readFileSync(page, 'utf8')
    return text
      .slice(text.indexOf(heading))
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .flatMap((line) =>
        [...(line.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, quote = '']) => quote),
      )
  })
  return [...tables, ...examples]
}

/** What the program prints for a quote, on one line. */
export function patternOf(quote: string): RegExp {
  const parts = quote.replaceAll('\\|', '|').replace(/^…|…$/g, '').split('…')
  return new RegExp(
    parts.map((part) => part.trim().replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('[^\\n]{0,500}?'),
  )
}
