// Keeps the page of a load test up to date while it runs. Without this script there is the Refresh button.
const facts = document.querySelector('dl[data-live]')
if (facts) {
  setInterval(async () => {
    const answer = await fetch(location.href).catch(() => undefined)
    if (!answer?.ok) return
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const fresh = page.querySelector('dl[data-live]')
    // At the end, more of the page changes.
    if (fresh) facts.replaceChildren(...fresh.children)
    else location.reload()
  }, 2000)
}
