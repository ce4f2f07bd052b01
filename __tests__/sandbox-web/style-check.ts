import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { styles } from '../../sandbox/web/assets.js'

/** The parts of the style that an open page uses. */
export interface StyleUse {
  /** The parts that it links. */
  linked: string[]
  /** Selectors that match something on it, by part. */
  matched: Record<string, string[]>
  /** All selectors, by part. */
  all: Record<string, string[]>
}

const parts = styles.map((name) => ({
  name,
  text: readFileSync(new URL(`../../sandbox/web/styles/${name}.css`, import.meta.url), 'utf8'),
}))

/** States that only people cause, and parts that are not in the DOM. */
const fleeting = '::?(before|after|backdrop|hover|focus|focus-visible)'

export async function styleUse(page: Page): Promise<StyleUse> {
  return page.evaluate<StyleUse>(`(() => {
    const selectors = (rules) => [...rules].flatMap((rule) =>
      rule.selectorText ? rule.selectorText.split(/,(?![^(]*\\))/).map((one) => one.trim()) : selectors(rule.cssRules))
    const all = {}, matched = {}
    for (const { name, text } of ${JSON.stringify(parts)}) {
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(text)
      all[name] = [...new Set(selectors(sheet.cssRules))]
      matched[name] = all[name].filter((one) =>
        document.querySelector(one.replace(/${fleeting}(?![\\w-])/g, '') || '*') !== null)
    }
    const linked = [...document.querySelectorAll('link[rel=stylesheet]')]
      .map((link) => link.getAttribute('href').replace(/^.*\\/|\\.css$/g, ''))
    return { linked, matched, all }
  })()`)
}
