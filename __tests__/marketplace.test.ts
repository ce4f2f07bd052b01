import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { ownActions } from '../src/outcome/outcome.js'

/**
 * What GitHub refuses when an action is published, which no other check would find: its pages "Publishing actions in
 * GitHub Marketplace" and "Metadata syntax reference", and the form of a release, as of 2026. Only the action at the
 * root is listed; the others follow the same rules, as editors and pages about actions show them alike.
 */

interface Listing {
  name: string
  description: string
  author: string
  branding: { icon: string; color: string }
}

const files = ['action.yml', ...ownActions.map((name) => `${name}/action.yml`)]
const listings = files.map((file) => [file, parse(readFileSync(file, 'utf8')) as Listing] as const)

const colours = ['white', 'black', 'yellow', 'blue', 'green', 'orange', 'red', 'purple', 'gray-dark']

/** A name may not be that of a category or a feature of GitHub; this kind of word is taken. */
const taken =
  /^(actions?|api management|apps?|chat|code (quality|review|scanning)|codespaces|continuous integration|copilot|dependabot|dependency management|deployment|discussions|ides|learning|localization|marketplace|mobile|monitoring|open source management|packages|pages|performance|project management|projects|publishing|security|support|testing|utilities)$/i

test.each(listings)(
  '%s: the form of a release takes its name, description, icon and colour',
  (_, listing) => {
    expect(listing.description.length).toBeLessThan(125)
    // A single word would be the name of a user or an organization.
    expect(listing.name).toMatch(/^\S+( \S+){2,}$/)
    expect(listing.name).not.toMatch(taken)
    expect(listing.author).not.toBe('')
    expect(colours).toContain(listing.branding.color)
    expect(listing.branding.icon).toMatch(/^[a-z-]+$/)
  },
)
