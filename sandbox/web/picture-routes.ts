import type { FastifyInstance, FastifyRequest } from 'fastify'
import { badRequest } from '../service/failure.js'
import { markup, type Markup } from './markup.js'
import { largestPicture, pictureHeaders, pictureRules, readPicture, type Picture } from './picture.js'
import { problems } from './shell.js'

/** The pictures that were uploaded, by the organization or user whom they show. */
export type Pictures = Map<object, Picture>

/** What stands in the address; the user's has nothing. */
export interface OwnerPlace {
  org: string
}

/** A page of one who may have a picture. */
export interface PicturePage {
  /** Pattern of the picture's address. */
  url: string
  /** Shown while there is none. */
  standIn: Picture
  /** @throws Failure 404 */
  ownerAt: (params: OwnerPlace) => object
  /** The page with the form. */
  show: (params: OwnerPlace, faults: readonly string[]) => string
  /** The page's address. */
  href: (params: OwnerPlace) => string
}

/** Forms with a file, in a scope of their own: no other page takes any. */
export function takePictures(app: FastifyInstance): void {
  app.addContentTypeParser(
    'multipart/form-data',
    // Room for one that is too large, so that the page can say so.
    { parseAs: 'buffer', bodyLimit: 8 * largestPicture },
    async ({ headers }: FastifyRequest, body: Buffer) => {
      const type = headers['content-type'] ?? ''
      const form = new Response(new Uint8Array(body), { headers: { 'content-type': type } })
      return form.formData().catch(() => {
        throw badRequest('The form cannot be read. Send it again.')
      })
    },
  )
}

/** Showing, uploading and removing the picture of each owner. */
export function pictureRoutes(
  app: FastifyInstance,
  pictures: Pictures,
  { url, standIn, ownerAt, show, href }: PicturePage,
): void {
  app.get<{ Params: OwnerPlace }>(url, (request, reply) => {
    const picture = pictures.get(ownerAt(request.params)) ?? standIn
    return reply.headers(pictureHeaders(picture)).send(picture.bytes)
  })

  app.post<{ Params: OwnerPlace; Body: unknown }>(url, async ({ params, body }, reply) => {
    const owner = ownerAt(params)
    const entry = body instanceof FormData ? body.get('picture') : null
    const bytes = entry === null || typeof entry === 'string' ? [] : [await entry.arrayBuffer()]
    const picture = readPicture(Buffer.concat(bytes.map((one) => Buffer.from(one))))
    if ('fault' in picture) return reply.code(400).send(show(params, [picture.fault]))
    pictures.set(owner, picture)
    return reply.redirect(href(params), 303)
  })

  app.post<{ Params: OwnerPlace }>(`${url}/remove`, ({ params }, reply) => {
    pictures.delete(ownerAt(params))
    return reply.redirect(href(params), 303)
  })
}

/** @param noun such as `logo` */
export function pictureForm(
  noun: string,
  href: string,
  hasPicture: boolean,
  faults: readonly string[],
): Markup {
  const remove = hasPicture
    ? markup`<button formaction="${href}/remove" formenctype="application/x-www-form-urlencoded" formnovalidate>Remove ${noun}</button>`
    : ''
  return markup`<div class="card picture">${pictureImage(href, 96)}<div>${problems(faults)}
<form method="post" action="${href}" enctype="multipart/form-data">
<label class="field">Picture<input type="file" name="picture" required accept="image/png,image/jpeg,image/svg+xml" aria-describedby="${noun}-hint"></label>
<p class="hint" id="${noun}-hint">${pictureRules}</p>
<div class="buttons"><button>Upload ${noun}</button>${remove}</div></form></div></div>`
}

/** Beside the name of its owner, so that it needs no words of its own. */
export function pictureImage(href: string, side: number): Markup {
  return markup`<img class="portrait" src="${href}" alt="" width="${side}" height="${side}">`
}
