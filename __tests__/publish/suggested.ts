/** The lines to copy that a summary suggests, as they stand there. */
export function suggestedIn(summary = ''): string[] {
  const [, lines = ''] = /Suggested gates[^]*?^```\ngates: \|\n([^]*?)^```/m.exec(summary) ?? []
  return lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
