import { describe, expect, test } from '@jest/globals'
import { fileCommandPairs } from '../../sandbox/runner/file-command.js'

function read(text: string): { pairs: string[][]; fault?: string } {
  const pairs: string[][] = []
  try {
    for (const { name, value } of fileCommandPairs(text)) pairs.push([name, value])
  } catch (error) {
    return { pairs, fault: error instanceof Error ? error.message : String(error) }
  }
  return { pairs }
}

describe('pairs in a file of the step', () => {
  test.each<[string, string[][]]>([
    ['', []],
    ['a=b', [['a', 'b']]],
    ['\uFEFFa=b\n', [['a', 'b']]],
    [
      'a=b\nc=d=e\n\n',
      [
        ['a', 'b'],
        ['c', 'd=e'],
      ],
    ],
    ['a=', [['a', '']]],
    ['=b', [['', 'b']]],
    ['a=b<<c', [['a', 'b<<c']]],
    [' a = b ', [[' a ', ' b ']]],
    ['a=b\r\n', [['a', 'b\r']]],
    ['a<<EOF\nEOF', [['a', '']]],
    [
      'a<<EOF\none\ntwo\nEOF\nb=c',
      [
        ['a', 'one\ntwo'],
        ['b', 'c'],
      ],
    ],
    ['a<<EOF\n\none\n\nEOF\n', [['a', '\none\n']]],
    ['a<<X=Y\n1\nX=Y\n', [['a', '1']]],
    ['a<<EOF\n EOF\nEOF\n', [['a', ' EOF']]],
  ])('%j', (text, pairs) => {
    expect(read(text)).toEqual({ pairs })
  })

  test.each<[string, string[][], string]>([
    ['a=b\nnonsense\nc=d', [['a', 'b']], "Invalid format 'nonsense'"],
    ['<<EOF\nx\nEOF', [], "Invalid format '<<EOF'"],
    ['a<<\nx\n', [], "Invalid format 'a<<'"],
    ['a<<EOF\nx\n', [], "Matching delimiter not found 'EOF'"],
    ['a<<EOF\nx', [], 'has no line break'],
    ['a<<EOF', [], "Matching delimiter not found 'EOF'"],
  ])('%j is a fault', (text, pairs, fault) => {
    const found = read(text)
    expect(found.pairs).toEqual(pairs)
    expect(found.fault).toContain(fault)
  })
})
