import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import { propertyOf } from '../../sandbox/engine/properties.js'
import { webshop } from '../../sandbox/report/webshop.js'

const suite = path.resolve('examples/webshop-suite')
const read = (name: string) => readFile(path.join(suite, name), 'utf8')

/** Content by name. */
async function sources(): Promise<Map<string, string>> {
  const names = await readdir(path.join(suite, 'src'), { recursive: true })
  const java = names.filter((name) => name.endsWith('.java'))
  return new Map(
    await Promise.all(
      java.map(async (name): Promise<[string, string]> => [
        path.basename(name, '.java'),
        await read(`src/${name}`),
      ]),
    ),
  )
}

test('each scenario of the load profile has its class, which is a JUnit test, and its users', async () => {
  const [profile, project] = await Promise.all([
    read('config/test.properties'),
    read('config/project.properties'),
  ])
  const names = (propertyOf(profile, 'com.xceptance.xlt.loadtests') ?? '').split(' ')
  expect(names).toHaveLength(4)
  const java = await sources()
  for (const name of names) {
    const key = `com.xceptance.xlt.loadtests.${name}`
    expect(propertyOf(project, `${key}.class`)).toBe(`com.example.webshop.loadtest.${name}`)
    expect(Number(propertyOf(profile, `${key}.users`))).toBeGreaterThan(0)
    expect(java.get(name)).toMatch(/extends AbstractTestCase\n\{\n {4}@Test\n/)
  }
})

test('the suite requests only what the shop has', async () => {
  const served = new Set(
    webshop.flatMap(({ actions }) => actions.flatMap(({ requests }) => requests.map((one) => one.path))),
  )
  const asked = [...(await sources()).values()].flatMap((text) =>
    [...text.matchAll(/"(\/[a-z/-]*)[?"]/g)].map(([, asking = '']) => asking),
  )
  expect(asked.length).toBeGreaterThan(12)
  expect(asked.filter((one) => !served.has(one) && one !== '/product/')).toEqual([])
})
