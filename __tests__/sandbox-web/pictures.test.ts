import { call, type Caller } from './caller.js'

/** The logo of an organization and the avatar of the user, and which files are accepted. */

const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle r="4"/></svg>'
const places = [
  ['logo', '/orgs/demo-org/logo', '/orgs/demo-org'],
  ['avatar', '/user/avatar', '/user'],
] as const
let caller: Caller
beforeAll(async () => {
  caller = await call()
})
afterEach(async () => {
  for (const [, path] of places) await caller.send(`${path}/remove`, [])
})
afterAll(() => caller.service.close())

const png = (width: number, height: number) => {
  const bytes = Buffer.from('89504e470d0a1a0a0000000d494844520000000000000000080600000000', 'hex')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}
/** With an APP0 segment and a table before the frame header, as cameras write it. */
const jpeg = Buffer.from('ffd8ffe000044a46ffc4000411ffffc0000b08001000200301', 'hex')

async function upload(path: string, content: Buffer | string, name = 'picture.png', type = 'image/png') {
  const form = new FormData()
  form.append('picture', new File([new Uint8Array(Buffer.from(content))], name, { type }))
  const headers = { origin: caller.service.url }
  const response = await fetch(`${caller.service.url}${path}`, {
    ...{ method: 'POST', body: form, headers },
    redirect: 'manual',
  })
  const { status } = response
  return { status, location: response.headers.get('location'), text: await response.text() }
}

async function shown(path: string) {
  const response = await fetch(`${caller.service.url}${path}`)
  return { headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

test.each(places)('the %s is uploaded, shown and removed', async (noun, path, page) => {
  const standIn = await shown(path)
  expect(standIn.headers.get('content-type')).toBe('image/svg+xml')
  expect(await caller.open(page)).not.toContain(`Remove ${noun}`)
  const sent = await upload(path, png(64, 64))
  expect([sent.status, sent.location]).toEqual([303, page])
  const picture = await shown(path)
  expect(picture.headers.get('content-type')).toBe('image/png')
  expect(picture.bytes).toEqual(png(64, 64))
  expect(await caller.open(page)).toContain(`Remove ${noun}`)
  expect((await caller.send(`${path}/remove`, [])).location).toBe(page)
  expect((await shown(path)).bytes).toEqual(standIn.bytes)
})

test('each organization and user has a picture, and other pages show it', async () => {
  await upload('/user/avatar', png(1, 1))
  await upload('/orgs/demo-org/logo', png(2, 2))
  expect((await shown('/user/avatar')).bytes).toEqual(png(1, 1))
  expect((await shown('/orgs/demo-org/logo')).bytes).toEqual(png(2, 2))
  const home = await caller.open('/')
  expect(home).toContain('src="/user/avatar"')
  expect(home).toContain('src="/orgs/demo-org/logo"')
})

test.each<[string, Buffer | string, string]>([
  ['a PNG', png(4096, 1), 'image/png'],
  ['a JPEG', jpeg, 'image/jpeg'],
  ['an SVG', `<?xml version="1.0"?>\n<!-- drawn by hand -->\n${svg}`, 'image/svg+xml'],
])(
  '%s counts as what its bytes say, whatever the browser says, and is never a page',
  async (_, content, type) => {
    expect((await upload('/user/avatar', content, 'page.html', 'text/html')).status).toBe(303)
    const { headers } = await shown('/user/avatar')
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="picture\.(png|jpg|svg)"$/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  },
)

const notAPicture = 'Choose a PNG, a JPEG or an SVG without scripts or links to other files.'
const inside = (text: string) => svg.replace('</svg>', `${text}</svg>`)
test.each<[string, Buffer | string, string]>([
  ['nothing', '', 'Choose a picture.'],
  ['a page', '<!doctype html><script>alert(1)</script>', notAPicture],
  ['a page that is XML', '<html xmlns="http://www.w3.org/1999/xhtml"/>', notAPicture],
  ['a GIF', 'GIF89a\u0001\u0000\u0001\u0000', notAPicture],
  ['a PNG without its head', png(1, 1).subarray(0, 20), notAPicture],
  ['a PNG of no height', png(10, 0), notAPicture],
  [
    'a huge PNG',
    png(30_000, 30_000),
    'The picture has 30000 × 30000 pixels. Choose one of at most 4096 pixels per side.',
  ],
  ['a JPEG that ends early', jpeg.subarray(0, 12), notAPicture],
  ['an SVG with a script', inside('<script>alert(1)</script>'), notAPicture],
  ['an SVG with a prefixed script', inside('<s:script xmlns:s="http://www.w3.org/2000/svg"/>'), notAPicture],
  ['an SVG with a handler', svg.replace('<circle', '<circle onload="alert(1)"'), notAPicture],
  ['an SVG with HTML', inside('<foreignObject/>'), notAPicture],
  ['an SVG with a foreign element', inside('<b xmlns="http://www.w3.org/1999/xhtml"/>'), notAPicture],
  ['an SVG with a link', inside('<a href="javascript:alert(1)"/>'), notAPicture],
  [
    'an SVG that loads',
    inside('<image xmlns:x="http://www.w3.org/1999/xlink" x:href="http://evil.example"/>'),
    notAPicture,
  ],
  ['an SVG with a DOCTYPE', `<!DOCTYPE svg [<!ENTITY a "b">]>${svg}`, notAPicture],
  ['an SVG with a style sheet', `<?xml-stylesheet href="x.css"?>${svg}`, notAPicture],
  ['an SVG that ends early', svg.slice(0, -6), notAPicture],
  ['an SVG that is not UTF-8', Buffer.from(svg.replace('9 9', '9 9\u00ff'), 'latin1'), notAPicture],
  ['one that is too large', Buffer.alloc(600_000, png(1, 1)), 'Choose a picture of at most 500\u00a0kB.'],
])('%s is refused, and the picture stays', async (_, content, fault) => {
  await upload('/user/avatar', png(8, 8))
  const { status, text } = await upload('/user/avatar', content)
  expect(status).toBe(400)
  expect(text).toContain(`<li>${fault}</li>`)
  expect((await shown('/user/avatar')).bytes).toEqual(png(8, 8))
})

test('a file that is far too large is not even read', async () => {
  const { status, text } = await upload('/user/avatar', Buffer.alloc(5_000_000))
  expect(status).toBe(413)
  expect(text).toContain('The form is too large. Choose a smaller file.')
})

test('a form that cannot be read, or has no file, is refused', async () => {
  const send = (body: string, type: string) =>
    fetch(`${caller.service.url}/user/avatar`, {
      ...{ method: 'POST', body },
      headers: { origin: caller.service.url, 'content-type': type },
    })
  const broken = await send('--x\r\nnothing', 'multipart/form-data; boundary=x')
  expect(broken.status).toBe(400)
  expect(await broken.text()).toContain('The form cannot be read. Send it again.')
  const text = await send('picture=x', 'application/x-www-form-urlencoded')
  expect(text.status).toBe(400)
  expect(await text.text()).toContain('Choose a picture.')
})

test('another site can neither upload nor remove a picture; other forms take no files', async () => {
  const headers = { origin: 'http://evil.example' }
  expect((await caller.send('/user/avatar/remove', [], headers)).status).toBe(403)
  expect((await upload('/orgs/demo-org/credentials', svg)).status).toBe(415)
  expect((await upload('/orgs/nobody/logo', svg)).status).toBe(404)
})
