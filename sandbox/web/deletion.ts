import { markup, type Markup } from './markup.js'

/**
 * Asks before anything is deleted, without a script.
 *
 * @param what for screen readers, since the button itself says only "Delete"
 */
export function deletion(what: string, action: string, consequence: string): Markup {
  return markup`<details class="deletion"><summary>Delete<span class="unseen"> ${what}</span></summary>
<form method="post" action="${action}/delete"><p>${consequence}</p><button class="danger">Delete for good</button></form></details>`
}
