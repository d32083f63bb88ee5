// Takes the picture of the pay page that opens the guides, from a running service in the test environment:
// `API_KEY=svc_test_… BASE_URL=… node tooling/acceptance/src/browser/picture.ts`. BASE_URL is http://127.0.0.1:4000 by default.

import { fileURLToPath } from 'node:url'
import { START_SESSION, samples, senderOf } from '@payments/stand'
import { startChromium } from './chromium.ts'
import { openWindow } from './page.ts'

const origin = process.env.BASE_URL ?? 'http://127.0.0.1:4000'
const FILE = fileURLToPath(new URL('../../../../docs/guides/pay-page.png', import.meta.url))

const send = senderOf({ url: origin }, process.env.API_KEY ?? '')
const { id } = await send('POST /v1/collections', samples.collection.body({ type: 'checkout', title: 'Order 1042' }))
const { id: session } = await send(`POST /v1/pay/${id}`, START_SESSION, null)
const browser = await startChromium()
const { page } = await openWindow(browser, origin, 'phone')
await page.goto(`${origin}/pay/${session}`, { waitUntil: 'load' })
await page.screenshot({ path: FILE, clip: { x: 0, y: 0, width: 390, height: 540 } })
await browser.close()
process.stdout.write('docs/guides/pay-page.png\n')
