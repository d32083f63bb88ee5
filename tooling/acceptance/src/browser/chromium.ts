import { chromiumCommand } from '@payments/stand'
import { type Browser, chromium } from 'playwright-core'

/** The browser, without a sandbox of its own, because CI runs as root, and without requests of its own to its maker. */
export const startChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: `/usr/bin/${chromiumCommand()}`,
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
  })
