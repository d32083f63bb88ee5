import type { Browser, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { signedIn, type TestArtefact } from '#testing'
import { devices, fitsWidth, openWindow, type Visit, violations } from '../page.ts'
import { SCREENSHOTS, shoot } from '../shots.ts'

/** How long a screen may take to show what has happened, on a busy machine. */
export const PATIENCE = 30_000
/** How long a whole story may take there. */
export const STORY_MS = 240_000

/** The layout does not depend on the colours, nor the colours on the layout. */
const LOOKS = [
  ['phone', 'dark'],
  ['desktop', 'light'],
] as const

/** A window in which a user of the organisation, or an operator, is signed in to the dashboard and the console. */
export async function openDashboard(
  browser: Browser,
  service: TestArtefact,
  as: Parameters<typeof signedIn>[1],
): Promise<Visit & { readonly email: string }> {
  const visit = await openWindow(browser, service.url, 'desktop')
  const { accessToken, refreshToken, email } = await signedIn(service.runtime, as)
  await visit.context.addCookies([
    {
      name: 'payments-dashboard',
      value: service.runtime.keyring.encrypt(JSON.stringify({ accessToken, refreshToken }), 'dashboard-session'),
      ...{ domain: '127.0.0.1', path: '/dashboard/api', httpOnly: true, sameSite: 'Strict' },
    },
  ])
  return { ...visit, email }
}

/** Finds a customer by a text, in a list or a dialog, and chooses the one that is called so, by keyboard alone. */
export async function chooseCustomer(around: Page | Locator, text: string, name: string): Promise<void> {
  const field = around.getByRole('combobox', { name: /^Customer/ })
  await field.fill(text)
  const option = around.getByRole('option', { name })
  await option.waitFor({ timeout: PATIENCE })
  await expect.poll(() => option.getAttribute('aria-selected'), { timeout: PATIENCE }).toBe('true')
  await field.press('Enter')
  await option.waitFor({ state: 'hidden' })
  expect(await field.inputValue()).toContain(name)
}

/** Ways in which a screen is looked at beside {@link LOOKS}; a window of 640 pixels is what a zoom of 200 % leaves of 1280. */
const MODES = {
  tablet: { width: 820, height: 1180 },
  'tablet-landscape': { width: 1024, height: 768 },
  zoom: { width: 640, height: 450 },
  'forced-colours': { width: 1280, height: 900, forcedColors: 'active' },
  'right-to-left': { width: 1280, height: 900, dir: 'rtl' },
  'right-to-left-phone': { width: 390, height: 844, dir: 'rtl' },
} as const satisfies Record<string, { width: number; height: number; forcedColors?: 'active'; dir?: 'rtl' }>
type Mode = keyof typeof MODES
const modes = Object.keys(MODES) as Mode[]
let checked = 0

/**
 * Elements that take the focus and whose outline, of 2 pixels, a container that scrolls or hides would cut off. Reads only: giving each the
 * focus would change what a form says.
 */
const CUT_OFF = `(() => {
  const top = document.querySelector('dialog[open]') ?? document
  const found = []
  for (const element of top.querySelectorAll('a[href], button:enabled, input:enabled, select:enabled, summary, [tabindex="0"]')) {
    const box = element.getBoundingClientRect()
    if (box.width < 2 || box.height < 2 || !element.checkVisibility()) continue
    for (let around = element.parentElement; around && around !== document.documentElement; around = around.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(around)
      if (overflowX === 'visible' && overflowY === 'visible') continue
      const outer = around.getBoundingClientRect()
      const start = box.left - outer.left - around.clientLeft + around.scrollLeft
      const above = box.top - outer.top - around.clientTop + around.scrollTop
      const gaps = [start, around.scrollWidth - start - box.width, above, around.scrollHeight - above - box.height]
      if (gaps.some((gap) => gap < 1)) found.push([element.tagName, element.textContent.slice(0, 30), around.className || around.tagName, ...gaps.map(Math.round)].join(' '))
    }
  }
  return found
})()`

/** Fields so narrow that nobody can read what is typed into them: below 64 pixels. */
const NARROW = `[...document.querySelectorAll('input:not([type="checkbox"], [type="radio"], [type="file"], [type="color"]), select')]
  .filter((field) => field.checkVisibility() && field.getBoundingClientRect().width < 64 && !field.closest('.hidden'))
  .map((field) => field.labels?.[0]?.textContent ?? field.name)`

/** What is wrong with the screen in a mode, which is left again. */
async function checkMode(page: Page, name: string, mode: Mode): Promise<void> {
  const { width, height, ...more }: { width: number; height: number; forcedColors?: 'active'; dir?: 'rtl' } =
    MODES[mode]
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce', forcedColors: more.forcedColors ?? 'none' })
  await page.evaluate(`document.documentElement.dir = '${more.dir ?? 'ltr'}'`)
  await shoot(page, `dashboard-${name}-${mode}`)
  const found = {
    fits: await fitsWidth(page),
    cutOff: more.dir ? [] : await page.evaluate(CUT_OFF),
    narrow: await page.evaluate(NARROW),
  }
  expect.soft({ name, mode, ...found }).toEqual({ name, mode, fits: true, cutOff: [], narrow: [] })
  await page.emulateMedia({ forcedColors: 'none' })
  await page.evaluate("document.documentElement.removeAttribute('dir')")
}

/**
 * What is wrong with the screen that is shown: on a phone in dark and on a desktop in light by the rules of accessibility too, and in one of
 * the other modes, in turn. With screenshots, in all of them.
 */
export async function checkScreen(page: Page, name: string): Promise<void> {
  for (const [device, colorScheme] of LOOKS) {
    await page.setViewportSize(devices[device].viewport)
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await shoot(page, `dashboard-${name}-${device}`)
    const found = { fits: await fitsWidth(page), violations: await violations(page) }
    expect({ name, device, ...found }).toEqual({ name, device, fits: true, violations: [] })
  }
  const next = modes[checked++ % modes.length] as Mode
  for (const mode of SCREENSHOTS ? modes : [next]) await checkMode(page, name, mode)
  await page.setViewportSize(devices.desktop.viewport)
}
