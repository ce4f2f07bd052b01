import { propertiesText, propertyOf } from '../../sandbox/engine/properties.js'

test('a description cannot add a setting', () => {
  const text = propertiesText({ comment: 'harmless\ncom.xceptance.xlt.loadtests = TEvil' })
  expect(text.trimEnd().split('\n')).toHaveLength(1)
  expect(propertyOf(text, 'com.xceptance.xlt.loadtests')).toBeUndefined()
})
