import type { Browser, Locator } from 'playwright-core'
import decodeQR from 'qr/decode.js'

/** The pixels of a PNG, as the browser reads them. A text, because its types are the browser's. */
const pixelsOf = (png: string): string => `(async () => {
  const bitmap = await createImageBitmap(await (await fetch('data:image/png;base64,${png}')).blob())
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
  context.drawImage(bitmap, 0, 0)
  const { width, height, data } = context.getImageData(0, 0, bitmap.width, bitmap.height)
  let bytes = ''
  for (const byte of data) bytes += String.fromCharCode(byte)
  return { width, height, data: btoa(bytes) }
})()`

/** The text of the QR code in a screenshot of an element, as a camera would read it. */
export async function readCode(browser: Browser, element: Locator): Promise<string> {
  const shot = await element.screenshot()
  const page = await browser.newPage()
  const image = await page.evaluate<{ width: number; height: number; data: string }>(pixelsOf(shot.toString('base64')))
  await page.close()
  return decodeQR({ ...image, data: Uint8Array.from(Buffer.from(image.data, 'base64')) })
}
