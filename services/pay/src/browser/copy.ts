import { announce, find, text } from './page.ts'

const SHOWN_MS = 2000

/** Copies the text that a button belongs to, and says so on the button and to screen readers. */
export async function copy(button: HTMLElement): Promise<void> {
  const source = find(button.dataset.copy ?? '')
  if (!source) return
  const copied = await write(source)
  announce(text(copied ? 'copied' : 'copyFailed'))
  const problem = find('pay-error')
  if (problem) problem.textContent = copied ? '' : text('copyFailed')
  if (!copied) return
  // What is read aloud has what is shown in it (WCAG 2.5.3), and names what would be copied again afterwards.
  button.dataset.label ??= button.ariaLabel ?? ''
  button.textContent = button.ariaLabel = text('copied')
  setTimeout(() => {
    button.textContent = text('copy')
    button.ariaLabel = button.dataset.label ?? null
  }, SHOWN_MS)
}

async function write(source: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(source.dataset.copied ?? source.textContent ?? '')
    return true
  } catch {
    // Where the clipboard is closed to the page, the text is at least selected.
    getSelection()?.selectAllChildren(source)
    return false
  }
}
