// Takes the picture of the pay page that opens the guides, from a running service in the test environment:
// `API_KEY=svc_test_… BASE_URL=… node tooling/acceptance/src/browser/picture.ts`. BASE_URL is http://127.0.0.1:4000 by default.

import { fileURLToPath } from 'node:url'
import { startChromium } from './chromium.ts'
import { openWindow } from './page.ts'

const origin = process.env.BASE_URL ?? 'http://127.0.0.1:4000'
const FILE = fileURLToPath(new URL('../../../../docs/guides/pay-page.png', import.meta.url))
const CHECKOUT = {
  type: 'checkout',
  title: 'Order 1042',
  amount: '25',
  currency: 'USDC',
  destinationChainKey: 'base',
  destinationAddress: '0x71C7656EC7ab88b098defB751B7401B5f6d8976F',
}

/** The id of what a request has made. @throws Error with the reply when it was refused */
async function idOf(path: string, body: object): Promise<string> {
  const reply = await fetch(`${origin}/v1${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${process.env.API_KEY ?? ''}`,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    },
    body: JSON.stringify(body),
  })
  const text = await reply.text()
  if (!reply.ok) throw new Error(text)
  return (JSON.parse(text) as { data: { id: string } }).data.id
}

const checkout = await idOf('/collections', CHECKOUT)
const session = await idOf(`/pay/${checkout}`, { action: 'start', networkKey: 'ethereum', currency: 'USDC' })
const browser = await startChromium()
const { page } = await openWindow(browser, origin, 'phone')
await page.goto(`${origin}/pay/${session}`, { waitUntil: 'load' })
await page.screenshot({ path: FILE, clip: { x: 0, y: 0, width: 390, height: 540 } })
await browser.close()
process.stdout.write('docs/guides/pay-page.png\n')
