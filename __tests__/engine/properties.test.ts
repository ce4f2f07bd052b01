import { propertiesText, propertyOf } from '../../sandbox/engine/properties.js'

test('a value stays the value of its one setting, whatever it contains', () => {
  const text = propertiesText({ comment: 'One line\n\n and = more: \\ #4\r\nä €', 'a b': ' end ' })
  expect(text).toBe(
    'comment = One line\\n\\n and \\= more\\: \\\\ \\#4\\n\\u00e4 \\u20ac\na\\ b = \\u0020end\\u0020\n',
  )
})

test('a description cannot add a setting', () => {
  const text = propertiesText({ comment: 'harmless\ncom.xceptance.xlt.loadtests = TEvil' })
  expect(text.trimEnd().split('\n')).toHaveLength(1)
  expect(propertyOf(text, 'com.xceptance.xlt.loadtests')).toBeUndefined()
})

test("settings are read as the engine's files write them; the last one counts", () => {
  const text = '# a = 0\n! a = 1\na = 2\n  b: two words  \nc three\na=4\n'
  expect(['a', 'b', 'c', 'd'].map((name) => propertyOf(text, name))).toEqual([
    '4',
    'two words',
    'three',
    undefined,
  ])
})
