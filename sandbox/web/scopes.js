// Ticks the scopes of a preset in the open form. Without this script the link leads to a form in which they are
// ticked.
for (const link of document.querySelectorAll('a[data-scopes]')) {
  link.setAttribute('role', 'button')
  link.addEventListener('click', (event) => {
    event.preventDefault()
    const scopes = link.dataset.scopes.split(' ')
    for (const box of link.closest('form').elements.scope) box.checked = scopes.includes(box.value)
  })
  link.addEventListener('keydown', (event) => {
    if (event.key !== ' ') return
    event.preventDefault()
    link.click()
  })
}
