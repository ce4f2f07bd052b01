// A button copies the content of its field. Without this script the button is hidden.
for (const button of document.querySelectorAll('button[data-copy]')) {
  const field = document.getElementById(button.dataset.copy)
  const said = button.parentElement.querySelector('[role=status]')
  button.hidden = false
  button.addEventListener('click', async () => {
    field.select()
    try {
      await navigator.clipboard.writeText(field.value)
      said.textContent = 'Copied'
    } catch {
      // Browsers deny the clipboard to pages of other machines without https.
      said.textContent = 'Press Ctrl+C to copy it'
    }
  })
}
