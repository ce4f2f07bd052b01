/** A page of the shop with about this many bytes. The homepage has a style sheet and a picture. */
export function pageHtml(path: string, bytes: number, soldOut: boolean): string {
  const assets = path === '/' ? '<link rel="stylesheet" href="/static/shop.css">' : ''
  const hero = path === '/' ? '<img src="/static/hero.webp" alt="Posters">' : ''
  const stock = soldOut ? '<p>Out of stock</p>' : ''
  const head = `<!doctype html><html><head><title>Webshop ${path}</title>${assets}</head><body>${hero}${stock}`
  const line = '<p>Posters of mountains, cities and the sea.</p>\n'
  const lines = Math.max(0, Math.floor((bytes - head.length) / line.length))
  return `${head}\n${line.repeat(lines)}</body></html>\n`
}
