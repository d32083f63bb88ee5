import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

/** Where screenshots are written. */
const SHOTS = new URL('../../../.screenshots/', import.meta.url).pathname

/** Writes a screenshot of the whole page, if `SCREENSHOTS=1`: `SCREENSHOTS=1 npm run check -- browser`. */
export async function shoot(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENSHOTS) return
  mkdirSync(SHOTS, { recursive: true })
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true })
}
