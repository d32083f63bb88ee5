import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

/** Where screenshots are written. */
const SHOTS = fileURLToPath(new URL('../../../../.screenshots/', import.meta.url))

/** True if screenshots are wanted: `SCREENSHOTS=1 npm run check -- acceptance`. */
export const SCREENSHOTS = process.env.SCREENSHOTS === '1'

/** Writes a screenshot of the whole page. */
export async function writeShot(page: Page, name: string): Promise<void> {
  mkdirSync(SHOTS, { recursive: true })
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true })
}

/** Writes a screenshot of the whole page, if they are wanted. */
export async function shoot(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS) await writeShot(page, name)
}
