import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Where Debian's package `chromium` puts the browser. */
const EXECUTABLE = '/usr/bin/chromium'

/**
 * True if the browser is installed. Says so in one line if it is not; where the run says that it must have it
 * (`REQUIRE_SYSTEM_TOOLS=1`, as CI does), that is an error.
 */
export function hasChromium(): boolean {
  if (existsSync(EXECUTABLE)) return true
  const line = `Not run, because it is not installed: chromium`
  if (process.env.REQUIRE_SYSTEM_TOOLS === '1') throw new Error(line)
  process.stdout.write(`${line}\n`)
  return false
}

/** The browser, without a sandbox of its own, because CI runs as root, and without requests of its own to its maker. */
export const startChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: EXECUTABLE,
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
  })
