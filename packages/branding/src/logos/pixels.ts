import jpeg from 'jpeg-js'
import { PNG } from 'pngjs'
import { type Checked, STORED } from './headers.ts'

/** Pixels, each four bytes: red, green, blue and how opaque it is. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly data: Uint8Array
}

const QUALITY = 90
const CHANNELS = 4

/**
 * Reads the pixels of an image and writes them again, on white and at most 512 pixels wide and high: what else was in the file is gone.
 * It takes up to half a second, so it runs in a thread.
 * @returns undefined for an image that cannot be decoded
 */
export function rewritten(image: Pick<Checked, 'type' | 'file'>): Uint8Array | undefined {
  try {
    return rewrite(image)
  } catch {
    return undefined
  }
}

function rewrite({ type, file }: Pick<Checked, 'type' | 'file'>): Uint8Array {
  const pixels = scaled(onWhite(type === 'image/png' ? PNG.sync.read(Buffer.from(file)) : decodedJpeg(file)))
  const { width, height } = pixels
  const data = Buffer.from(pixels.data)
  // The pixels alone: with the rest of what was decoded, comments and the place of a photo would be written too.
  if (type === 'image/jpeg') return jpeg.encode({ width, height, data }, QUALITY).data
  const png = new PNG({ width, height })
  png.data = data
  // Without a channel for transparency, a PDF takes the file as it is.
  return PNG.sync.write(png, { colorType: 2 })
}

const decodedJpeg = (file: Uint8Array): Pixels => jpeg.decode(file, { useTArray: true, maxMemoryUsageInMB: 64 })

/** On white, as it is shown on every page, email and document: a dark logo would not be seen on a dark page. */
export function onWhite({ data, ...size }: Pixels): Pixels {
  const flat = new Uint8Array(data.length).fill(255)
  for (let at = 0; at < data.length; at += CHANNELS) {
    const opacity = data[at + 3] ?? 255
    for (let channel = at; channel < at + 3; channel++)
      flat[channel] = Math.round(((data[channel] ?? 0) * opacity) / 255 + 255 - opacity)
  }
  return { ...size, data: flat }
}

/** At most {@link STORED} pixels wide and high, in the same proportions: each pixel is the mean of the area that it stands for. */
export function scaled(pixels: Pixels): Pixels {
  const factor = Math.max(pixels.width, pixels.height) / STORED
  if (factor <= 1) return pixels
  const rows = narrowed(pixels, Math.max(1, Math.round(pixels.width / factor)))
  return turned(narrowed(turned(rows), Math.max(1, Math.round(pixels.height / factor))))
}

/** With the width, by the mean of the columns. */
function narrowed({ width: from, height, data }: Pixels, width: number): Pixels {
  const result = new Uint8Array(width * height * CHANNELS)
  const step = from / width
  for (let column = 0; column < width; column++) {
    const [begin, end] = [column * step, (column + 1) * step]
    const last = Math.min(from, Math.ceil(end))
    for (let row = 0; row < height; row++)
      for (let channel = 0; channel < CHANNELS; channel++) {
        let sum = 0
        for (let at = Math.floor(begin); at < last; at++) {
          const share = Math.min(at + 1, end) - Math.max(at, begin)
          sum += share * (data[(row * from + at) * CHANNELS + channel] ?? 0)
        }
        result[(row * width + column) * CHANNELS + channel] = Math.round(sum / step)
      }
  }
  return { width, height, data: result }
}

/** Rows as columns. */
function turned({ width, height, data }: Pixels): Pixels {
  // Each pixel as one number: the copy begins where such a number may.
  const from = new Uint32Array(Uint8Array.from(data).buffer)
  const to = new Uint32Array(from.length)
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) to[column * height + row] = from[row * width + column] ?? 0
  return { width: height, height: width, data: new Uint8Array(to.buffer) }
}
