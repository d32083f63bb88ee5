// Adds a copy button to every code block. Without a clipboard (plain HTTP from another machine) there is none.
const RESET_MS = 2000

if (navigator.clipboard) {
  for (const figure of document.querySelectorAll('figure.code:not(.text)')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Copy'
    button.setAttribute('aria-live', 'polite')
    button.addEventListener('click', async () => {
      const copied = await navigator.clipboard.writeText(`${figure.querySelector('code').textContent}\n`).then(
        () => true,
        () => false,
      )
      button.textContent = copied ? 'Copied' : 'Not copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, RESET_MS)
    })
    figure.querySelector('figcaption').append(button)
  }
}

// On a phone the list of guides is one line that scrolls sideways: show the current one.
const current = document.querySelector('.guides [aria-current]')
const list = current?.closest('ul')
if (list) list.scrollLeft = current.offsetLeft - (list.clientWidth - current.offsetWidth) / 2
