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

/** Those of Feather 4.28.0 without brands and without the thirteen that GitHub omits. */
const icons = `
activity airplay alert-circle alert-octagon alert-triangle align-center align-justify align-left
align-right anchor aperture archive arrow-down-circle arrow-down-left arrow-down-right arrow-down
arrow-left-circle arrow-left arrow-right-circle arrow-right arrow-up-circle arrow-up-left arrow-up-right
arrow-up at-sign award bar-chart-2 bar-chart battery-charging battery bell-off bell bluetooth bold
book-open book bookmark box briefcase calendar camera-off camera cast check-circle check-square check
chevron-down chevron-left chevron-right chevron-up chevrons-down chevrons-left chevrons-right
chevrons-up circle clipboard clock cloud-drizzle cloud-lightning cloud-off cloud-rain cloud-snow cloud
code command compass copy corner-down-left corner-down-right corner-left-down corner-left-up
corner-right-down corner-right-up corner-up-left corner-up-right cpu credit-card crop crosshair database
delete disc dollar-sign download-cloud download droplet edit-2 edit-3 edit external-link eye-off eye
fast-forward feather file-minus file-plus file-text file film filter flag folder-minus folder-plus
folder gift git-branch git-commit git-merge git-pull-request globe grid hard-drive hash headphones heart
help-circle home image inbox info italic layers layout life-buoy link-2 link list loader lock log-in
log-out mail map-pin map maximize-2 maximize menu message-circle message-square mic-off mic minimize-2
minimize minus-circle minus-square minus monitor moon more-horizontal more-vertical move music
navigation-2 navigation octagon package paperclip pause-circle pause percent phone-call phone-forwarded
phone-incoming phone-missed phone-off phone-outgoing phone pie-chart play-circle play plus-circle
plus-square plus pocket power printer radio refresh-ccw refresh-cw repeat rewind rotate-ccw rotate-cw
rss save scissors search send server settings share-2 share shield-off shield shopping-bag shopping-cart
shuffle sidebar skip-back skip-forward slash sliders smartphone speaker square star stop-circle sun
sunrise sunset tablet tag target terminal thermometer thumbs-down thumbs-up toggle-left toggle-right
trash-2 trash trending-down trending-up triangle truck tv type umbrella underline unlock upload-cloud
upload user-check user-minus user-plus user-x user users video-off video voicemail volume-1 volume-2
volume-x volume watch wifi-off wifi wind x-circle x-square x zap-off zap zoom-in zoom-out`
  .trim()
  .split(/\s+/)

/** A name may not be that of a category or a feature of GitHub; this kind of word is taken. */
const taken =
  /^(actions?|api management|apps?|chat|code (quality|review|scanning)|codespaces|continuous integration|copilot|dependabot|dependency management|deployment|discussions|ides|learning|localization|marketplace|mobile|monitoring|open source management|packages|pages|performance|project management|projects|publishing|security|support|testing|utilities)$/i

test.each(listings)(
  '%s: the form of a release takes its name, description, icon and colour',
  (_, listing) => {
    expect(listing.description.length).toBeLessThan(125)
    expect(listing.description).toContain('XLT')
    expect(listing.name).not.toMatch(taken)
    expect(listing.author).not.toBe('')
    expect(colours).toContain(listing.branding.color)
    expect(icons).toContain(listing.branding.icon)
  },
)

test('the names are different, and none is a single word, which would be the name of a user or an organization', () => {
  const names = listings.map(([, { name }]) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^\S+( \S+){2,}$/)
})

test('who finds the action at the root among thousands reads which engine and which service it is for', () => {
  const [[, root] = []] = listings
  expect(root?.description).toMatch(/XLT.*XTC/)
})
