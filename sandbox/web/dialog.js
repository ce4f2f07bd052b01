// Links that lead to a form open its dialog instead. Without this script they lead to the form's own page.
for (const link of document.querySelectorAll('a[data-dialog]')) {
  const dialog = document.getElementById(link.dataset.dialog)
  if (!(dialog instanceof HTMLDialogElement)) continue
  link.setAttribute('role', 'button')
  link.setAttribute('aria-haspopup', 'dialog')
  link.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    dialog.showModal()
  })
  link.addEventListener('keydown', (event) => {
    if (event.key !== ' ') return
    event.preventDefault()
    link.click()
  })
}
