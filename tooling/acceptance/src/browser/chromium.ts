import { type Browser, chromium } from 'playwright-core'

/** Where Debian's package `chromium` puts the browser. */
const EXECUTABLE = '/usr/bin/chromium'

/** The browser, without a sandbox of its own, because CI runs as root, and without requests of its own to its maker. */
export const startChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: EXECUTABLE,
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
  })
