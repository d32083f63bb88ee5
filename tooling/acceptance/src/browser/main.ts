// Writes a screenshot of every page of the documentation of a running service, for each device in light and dark:
// `npm run screenshots [-- <part of a path>]`. BASE_URL names the service, http://127.0.0.1:4000 by default.

import { guides } from '@payments/documentation'
import { chromiumCommand, hasTools } from '@payments/stand'
import { startChromium } from './chromium.ts'
import { type Device, devices, openWindow, schemes } from './page.ts'
import { writeShot } from './shots.ts'

const origin = process.env.BASE_URL ?? 'http://127.0.0.1:4000'
const wanted = process.argv[2] ?? ''

async function main(): Promise<void> {
  if (!hasTools(chromiumCommand())) process.exit(1)
  const reachable = await fetch(`${origin}/health`).then(
    ({ ok }) => ok,
    () => false,
  )
  if (!reachable) throw new Error(`BASE_URL: nothing answers at ${origin}; start the service with npm start`)
  const paths = [
    ...guides().map(({ path }) => path),
    '/docs/reference',
    '/docs/reference/collections.create',
    '/docs/operators',
  ]
  const browser = await startChromium()
  for (const device of Object.keys(devices) as Device[]) {
    const { page } = await openWindow(browser, origin, device)
    for (const path of paths.filter((each) => each.includes(wanted))) {
      await page.goto(`${origin}${path}`, { waitUntil: 'networkidle' })
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme })
        const name = `${path.replace('/docs', 'docs').replace('/', '-')}-${device}-${colorScheme}`
        await writeShot(page, name)
        process.stdout.write(`.screenshots/${name}.png\n`)
      }
    }
  }
  await browser.close()
}

main().catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exit(1)
})
