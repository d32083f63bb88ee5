import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { chromiumCommand, samples, senderOf } from '@payments/stand'
import { chromium } from 'playwright-core'
import type { Place } from './place.ts'

const PAGE = `<!doctype html><title>Shop</title><script type="module">
import { Payments } from '/esm/index.js'
const [url, id] = location.hash.slice(1).split('|')
new Payments({ url }).pay.get(id).then(
  ({ title }) => { document.title = title },
  (error) => { document.title = 'failed: ' + error.message },
)
</script>`

/** The SDK in a page of another origin, which reads a pay page without a secret key. */
export async function inBrowser({ modules, url, key }: Place): Promise<string> {
  const order = samples.collection.body({ type: 'checkout', title: 'Order 1042' })
  const { id } = await senderOf({ url }, key)('POST /v1/collections', order)
  const shop = createServer((req, res) => {
    const isScript = req.url?.startsWith('/esm/') && !req.url.includes('..')
    const body = isScript ? readFileSync(join(modules, '@payments/sdk', req.url ?? '')) : PAGE
    res.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' }).end(body)
  })
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
  const browser = await chromium.launch({ executablePath: `/usr/bin/${chromiumCommand()}`, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/#${url}|${id}`)
    await page.waitForFunction(() => globalThis.document.title !== 'Shop')
    return await page.title()
  } finally {
    await browser.close()
    await new Promise<void>((resolve) => void shop.close(() => resolve()).closeAllConnections())
  }
}
