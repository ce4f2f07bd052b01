import { loadText } from '../../src/publish/words/facts.js'

const profile = (...settings: Record<string, string>[]) =>
  settings.map((one, index) => ({ name: `T${index}`, settings: one }))

test.each([
  [profile({ numberOfUsers: '1...9', rampUpPeriod: '30' }, { numberOfUsers: '5' }), '14 users, ramp-up 30 s'],
  [profile({ numberOfUsers: '1,021', rampUpPeriod: '0' }), '1,021 users'],
  [profile({ numberOfUsers: '20...1...5' }), '20 users'],
  [profile({ numberOfUsers: '10', arrivalRate: '3,600' }), '10 users, 3,600 arrivals/h'],
  [profile({ numberOfUsers: '1' }), '1 user'],
  [profile({ numberOfUsers: 'many', rampUpPeriod: '30' }), undefined],
  [profile({ rampUpPeriod: '30' }), undefined],
  [profile(), undefined],
])('%j is %s', (entries, text) => expect(loadText(entries)).toBe(text))
