import { newId } from '@payments/kernel'
import jpeg from 'jpeg-js'
import { PNG } from 'pngjs'
import { expect, test } from 'vitest'
import { chunk, interlaced, type Merchant, manyScans, newMerchant, twoHeaders, useService } from '#testing'
import { animated, jpegOf, picture, pngOf, twoFrames, withChunk } from '../../test/images.ts'
import { checkHeaders } from './headers.ts'
import { type Logo, readLogo } from './logo.ts'
import { onWhite, scaled } from './pixels.ts'

const service = useService()
const png = pngOf(64)

const upload = (merchant: Merchant, file: Buffer) =>
  merchant.call('PUT /v1/branding/logo', { body: { image: file.toString('base64') } })

async function logoOf(file: Buffer): Promise<Logo> {
  const logo = await readLogo(newId(), file)
  if ('mistake' in logo) throw new Error(logo.mistake)
  return logo
}
const mistakeOf = async (file: Buffer) => ((await readLogo(newId(), file)) as { mistake?: string }).mistake

test.each([
  ['a PNG of 12 kB that says 64 pixels and then 10,000', twoHeaders(64, 10_000), 'one header'],
  ['a PNG of 1 kB that says 64 pixels and then 3,000', twoHeaders(64, 3000), 'one header'],
  ['a JPEG with a second frame of 3,000 pixels', twoFrames(), 'one header'],
  ['a JPEG of 4,990 scans', manyScans(4990), 'at most 20 scans: this image has 4990'],
  ['a PNG that is interlaced', interlaced(1024), 'interlac'],
  ['a PNG of 40 frames', animated(40), 'one picture'],
  ['a PNG of 10,000 pixels', interlaced(10_000), '16 to 1,024'],
  ['a JPEG of 1,200 pixels', jpegOf(1200), '16 to 1,024'],
])('%s is refused by its headers, on the field, and is not unpacked', async (_name, file, mistake) => {
  expect(checkHeaders(file)).toEqual({ mistake: expect.stringContaining(mistake) })
  if (file.length > 65_536) return
  const refused = await upload(await newMerchant(service), file)
  expect([refused.status, refused.body.message, refused.body.errors]).toEqual([
    ...[422, 'Validation failed'],
    { image: expect.stringContaining(mistake) },
  ])
})

test('a progressive JPEG of 20 scans is a logo, and one of 21 is none', async () => {
  expect((await logoOf(manyScans(20))).type).toBe('image/jpeg')
  expect(await mistakeOf(manyScans(21))).toContain('this image has 21')
})

test('a logo of 1,024 pixels is stored as one of 512, and one that is smaller keeps its size', async () => {
  const merchant = await newMerchant(service)
  const { status, body } = await upload(merchant, pngOf(1024, 512))
  expect(status).toBe(200)
  const reply = await fetch(`${service.url}/branding/logos/${body.data.logoId}`)
  const { width, height } = PNG.sync.read(Buffer.from(await reply.arrayBuffer()))
  expect([width, height]).toEqual([512, 256])
  const small = PNG.sync.read((await logoOf(png)).image)
  // A PDF takes 8 bits of three colours as they are.
  const { image } = await logoOf(png)
  expect([image[24], image[25]]).toEqual([8, 2])
  expect([small.width, small.height, small.data.equals(picture(64).data)]).toEqual([64, 64, true])
  const photo = jpeg.decode((await logoOf(manyScans(1))).image)
  expect([photo.width, photo.height]).toEqual([512, 512])
})

test('a transparent logo is stored on white, in three colours, so that it looks the same on a dark page and in a document', async () => {
  const drawn = picture(32)
  for (let at = 0; at < drawn.data.length; at += 4) drawn.data.set([0, 0, 0, at < 2048 ? 0 : 255], at)
  const { image } = await logoOf(PNG.sync.write(drawn))
  // The type of colour: three, without one for transparency.
  expect(image[25]).toBe(2)
  const { data } = PNG.sync.read(image)
  expect([...data.subarray(0, 4), ...data.subarray(4092)]).toEqual([255, 255, 255, 255, 0, 0, 0, 255])
  const half = { width: 1, height: 1, data: Uint8Array.of(200, 0, 100, 128) }
  expect([...onWhite(half).data]).toEqual([227, 127, 177, 255])
})

test('a scaled image has the mean of the area of each pixel, whatever the sizes, and keeps its proportions', () => {
  const [width, height] = [768, 3]
  const data = new Uint8Array(width * height * 4)
  for (let at = 0; at < data.length; at += 4) data.set([((at / 4) % width) % 3 === 0 ? 90 : 0, 7, 255, 255], at)
  const result = scaled({ width, height, data })
  expect([result.width, result.height]).toEqual([512, 2])
  // Each stands for one and a half: the first is 90 wholly, the second not at all.
  expect([...result.data.subarray(0, 8)]).toEqual([60, 7, 255, 255, 0, 7, 255, 255])
  const tall = scaled({ width: 2, height: 1024, data: new Uint8Array(2 * 1024 * 4).fill(9) })
  expect([tall.width, tall.height, new Set(tall.data)]).toEqual([1, 512, new Set([9])])
})

test('only the pixels of an image are kept: what else was in the file is gone', async () => {
  const script = Buffer.from('<script>alert(1)</script>')
  expect(await mistakeOf(Buffer.concat([png, script]))).toContain('could not be decoded')
  const logo = await logoOf(withChunk(png, chunk('tEXt', script)))
  expect(logo.image.includes(script)).toBe(false)
  const photo = jpegOf(32)
  const head = Buffer.from([0xff, 0xfe, 0, script.length + 2])
  const written = await logoOf(Buffer.concat([photo.subarray(0, 2), head, script, photo.subarray(2), script]))
  expect([written.type, written.image.includes(script)]).toEqual(['image/jpeg', false])
})

test('what is no image, is damaged, or is too small or too large is refused with the reason', async () => {
  const huge = Buffer.from(png)
  huge.writeUInt32BE(1_000_000, 16)
  const damaged = Buffer.from(png)
  damaged.writeUInt8(damaged.readUInt8(60) ^ 0xff, 60)
  expect(await mistakeOf(Buffer.from('<svg><script/></svg>'))).toContain('PNG or JPEG')
  expect(await mistakeOf(Buffer.from('GIF89a'))).toContain('PNG or JPEG')
  expect(await mistakeOf(png.subarray(0, 100))).toContain('could not be decoded')
  expect(await mistakeOf(damaged)).toContain('could not be decoded')
  expect(await mistakeOf(png.subarray(0, 12))).toContain('16 to 1,024')
  expect(await mistakeOf(huge)).toContain('16 to 1,024')
  expect(await mistakeOf(pngOf(15))).toContain('16 to 1,024')
  const photo = jpegOf(32)
  for (let length = 3; length < photo.length; length += 7)
    expect(await mistakeOf(photo.subarray(0, length))).toBeTruthy()
  const refused = await upload(await newMerchant(service), Buffer.from('<svg/>'))
  expect([refused.status, refused.body.errors]).toEqual([422, { image: 'Must be a PNG or JPEG image' }])
})

test('an environment has 20 logos: another one is refused, and one that is there is chosen', async () => {
  const merchant = await newMerchant(service)
  const uploads = []
  for (let number = 0; number < 20; number++) uploads.push(await upload(merchant, pngOf(16 + number)))
  expect(uploads.map(({ status }) => status)).toEqual(Array(20).fill(200))
  const refused = await upload(merchant, pngOf(40))
  expect([refused.status, refused.body.errors]).toEqual([422, { image: expect.stringContaining('20 logos') }])
  const again = await upload(merchant, pngOf(16))
  expect([again.status, again.body.data.logoId]).toEqual([200, uploads[0]?.body.data.logoId])
})
