import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { signedIn, type TestService } from '#testing'
import { devices, fitsWidth, openWindow, type Visit, violations } from '../page.ts'
import { shoot } from '../shots.ts'

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
  service: TestService,
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

/** What is wrong with the screen that is shown, on a phone in dark and on a desktop in light. */
export async function checkScreen(page: Page, name: string): Promise<void> {
  for (const [device, colorScheme] of LOOKS) {
    await page.setViewportSize(devices[device].viewport)
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await shoot(page, `dashboard-${name}-${device}`)
    const found = { fits: await fitsWidth(page), violations: await violations(page) }
    expect({ name, device, ...found }).toEqual({ name, device, fits: true, violations: [] })
  }
}
