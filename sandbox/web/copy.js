// A button copies what stands in its field. Without this script it is hidden.
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
      // Browsers keep the clipboard from pages of other machines without https.
      said.textContent = 'Press Ctrl+C to copy it'
    }
  })
}
