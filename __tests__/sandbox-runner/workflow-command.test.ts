import { describe, expect, test } from '@jest/globals'
import { parseWorkflowCommand } from '../../sandbox/runner/workflow-command.js'

const known = (name: string): boolean => ['error', 'debug', 'set-output'].includes(name.toLowerCase())

describe('a line of output as a workflow command', () => {
  test.each<[string, [string, Record<string, string>, string] | undefined]>([
    ['::error::bad', ['error', {}, 'bad']],
    ['::error ::bad', ['error', {}, 'bad']],
    ['  \t::error::bad  ', ['error', {}, 'bad  ']],
    ['text ::error::bad', undefined],
    [':error::bad', undefined],
    ['::error', undefined],
    ['::error:bad', undefined],
    ['::unknown::bad', undefined],
    [':: error::bad', undefined],
    ['::ERROR::bad', ['ERROR', {}, 'bad']],
    ['::error::a::b', ['error', {}, 'a::b']],
    ['::error file=a.ts,line=3::x', ['error', { file: 'a.ts', line: '3' }, 'x']],
    ['::error File=a.ts::x', ['error', { file: 'a.ts' }, 'x']],
    ['::error title=a%3Ab%2Cc%25d%0Ae::100%25%0A%0D', ['error', { title: 'a:b,c%d\ne' }, '100%\n\r']],
    ['::error::%250A', ['error', {}, '%0A']],
    ['::error::a%3Ab', ['error', {}, 'a%3Ab']],
    ['::error title=a=b,=c,d=,e==f,,g::x', ['error', { title: 'a=b', e: 'f' }, 'x']],
    ['::error  file=a::x', ['error', { file: 'a' }, 'x']],
    ['##[error]bad', ['error', {}, 'bad']],
    ['12:00 text ##[error]bad', ['error', {}, 'bad']],
    ['##[error file=a.ts;line=3;]bad', ['error', { file: 'a.ts', line: '3' }, 'bad']],
    ['##[error title=a%3Bb%5Dc,d]x%5D%3B%25%0A', ['error', { title: 'a;b]c,d' }, 'x];%\n']],
    ['##[unknown]bad ##[error]bad', undefined],
    ['##[error bad', undefined],
    ['::unknown::##[error]bad', ['error', {}, 'bad']],
    ['', undefined],
  ])('%s', (line, expected) => {
    const command = parseWorkflowCommand(line, known)
    const found = command && [command.name, Object.fromEntries(command.properties), command.data]
    expect(found).toEqual(expected)
  })
})
