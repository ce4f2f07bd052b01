import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

/** This machine's Chromium. @throws Error that says how to get one */
export async function launchBrowser(): Promise<Browser> {
  const named = process.env['CHROMIUM']
  const usual = ['chromium', 'chromium-browser', 'google-chrome'].map((name) => `/usr/bin/${name}`)
  const executablePath = (named === undefined ? usual : [named]).find((file) => existsSync(file))
  if (executablePath === undefined) {
    throw new Error(
      `These pages are looked at in Chromium, and there is none at ${named ?? usual.join(', ')}. ` +
        'Install the package chromium, or name its program in the environment variable CHROMIUM.',
    )
  }
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-quic'] })
}

/** A script for a page: finds texts with a contrast of less than 4.5 to 1 to the nearest background below them. */
export const contrasts = `(() => {
  const rgb = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number)
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0)
  const backgroundOf = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const color = rgb(getComputedStyle(one).backgroundColor)
      if (color[3] !== 0 && color.length >= 3) return color
    }
    return [255, 255, 255]
  }
  const found = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement
    if (!node.data.trim() || ['TITLE', 'DESC', 'STYLE'].includes(element.tagName.toUpperCase())) continue
    const style = getComputedStyle(element)
    const front = light(rgb(element instanceof SVGElement ? style.fill : style.color))
    const back = light(backgroundOf(element))
    const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05)
    found.push({ text: node.data.slice(0, 40), ratio })
  }
  return found.filter(({ ratio }) => ratio < 4.5)
})()`
