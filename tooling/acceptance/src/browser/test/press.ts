import type { Page } from 'playwright-core'

/**
 * Presses or alters each control of the dialog that is open, or else of the screen, that is not disabled, in the page: buttons, boxes,
 * choices, files, fields. Of those of one name, one. A dialog that opens is done the same way, and closed. Links are not followed.
 */
const PRESS = `(async () => {
  const path = location.pathname
  const pressed = new Set()
  const pause = (ms) => new Promise((done) => setTimeout(done, ms))
  const dialog = () => document.querySelector('dialog[open]')
  const nameOf = (of) => [dialog() !== null, of.tagName, of.type, of.value === undefined || of.type === 'checkbox' ? '' : of.name,
    of.getAttribute('aria-label') ?? of.labels?.[0]?.textContent ?? of.textContent].join('|')
  const set = (of, value) => {
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(of), 'value').set.call(of, value)
    of.dispatchEvent(new Event(of.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true }))
  }
  const fitting = { email: 'eve@example.com', url: 'https://merchant.example', date: '2026-02-01', month: '2026-02' }
  const fill = (of) => of.value === '' && set(of, fitting[of.type] ?? '1')
  const press = (of) => {
    if (of.tagName === 'SELECT') return set(of, [...of.options].find(({ selected }) => !selected)?.value ?? of.value)
    if (of.type === 'file') {
      const files = new DataTransfer()
      files.items.add(new File(['1'], 'logo.png', { type: 'image/png' }))
      of.files = files.files
      return of.dispatchEvent(new Event('change', { bubbles: true }))
    }
    if (of.tagName === 'INPUT' && !['checkbox', 'radio', 'submit'].includes(of.type)) {
      fill(of)
      of.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))
      // What Enter does in a form without a button.
      if (of.form && !of.form.querySelector('button:not([type="button"])')) of.form.requestSubmit()
      return
    }
    if (of.type === 'submit') for (const field of of.form?.elements ?? []) if (field.required) fill(field)
    of.click()
  }
  const isClosing = (of) => of.getAttribute('aria-label') === 'Close' || of.textContent === 'Close'
  for (let times = 0; times < 300; times++) {
    const around = dialog() ?? document.querySelector('main')
    const controls = [...around.querySelectorAll('button, input, select, textarea, summary')].filter((of) => !of.disabled && of.checkVisibility())
    const next = controls.find((of) => !isClosing(of) && !pressed.has(nameOf(of)))
    if (next) {
      pressed.add(nameOf(next))
      press(next)
    } else if (dialog()) controls.find(isClosing)?.click() ?? dialog().close()
    else break
    await pause(next?.type === 'checkbox' ? 10 : 25)
    if (location.pathname !== path) {
      history.back()
      await pause(200)
    }
  }
  await pause(200)
  return pressed.size
})()`

/** True once nothing has been loading for a while. */
const isCalm = `new Promise(async (done) => {
  for (let calm = 0; calm < 8; calm = document.querySelector('h1') && !document.querySelector('.skeleton') ? calm + 1 : 0)
    await new Promise((next) => setTimeout(next, 40))
  done(true)
})`

/** Goes to an address of the dashboard that is open, as a link does, and presses every control there. Returns how many there were. */
export async function pressAll(page: Page, address: string): Promise<number> {
  await page.evaluate((url) => globalThis.history.pushState(null, '', url), address)
  await page.evaluate(isCalm)
  return await page.evaluate(PRESS)
}

/** Addresses of the dashboard to which the page has links, without what filters them; ids as `:id`, each with one that has it. */
export async function linksOf(page: Page): Promise<Map<string, string>> {
  const paths: string[] = await page.evaluate(
    `[...document.querySelectorAll('a[href^="/dashboard/test"]')].map(({ pathname }) => pathname)`,
  )
  return new Map(paths.map((path) => [path.replace(/[0-9a-f-]{36}/, ':id'), path]))
}
