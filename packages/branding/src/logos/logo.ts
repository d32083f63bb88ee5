import { createHash } from 'node:crypto'
import { JobEnded, Shared, threadPool } from '@payments/threads'
import { type Checked, checkHeaders, type Mistake, STORED, UNREADABLE } from './headers.ts'

/** A logo as it is stored and served: written by this service from the pixels of what was uploaded. */
export interface Logo {
  readonly id: string
  readonly type: Checked['type']
  readonly image: Buffer
}

const MOST_BYTES = 262_144
/** Where the header of a PNG says how a pixel is written: 8 bits of each of three colours. */
const DEPTH_AND_COLOURS = { at: 24, plain: Buffer.from([8, 2]) } as const

const threads = threadPool<Pick<Checked, 'type' | 'file'>, Uint8Array | undefined>({
  name: 'images',
  program: new URL('./thread.mjs', import.meta.url),
  threads: 1,
  waiting: 20,
  waitingOfOwner: 5,
  deadlineMs: 1000,
  mostMs: 10_000,
  abandonedMs: 200,
  memoryMb: 64,
  idleMs: 10_000,
})

/**
 * Reads the pixels of an image and writes them again, in a thread: on white, at most 512 pixels wide and high. What else was in the file, such
 * as a script, a place or another file behind it, is gone.
 * @param owner the organisation: of each, one image is decoded at a time
 * @returns the logo, or what is wrong with the image
 * @throws busy 503 when too many images wait
 */
export async function readLogo(owner: string, file: Buffer, signal?: AbortSignal): Promise<Logo | Mistake> {
  const checked = checkHeaders(file)
  if ('mistake' in checked) return checked
  const { type } = checked
  try {
    const pixels = await threads.run(owner, { type, file: checked.file }, signal)
    if (!pixels) return { mistake: UNREADABLE }
    if (pixels.length > MOST_BYTES) return { mistake: 'Must be a simpler image: it takes more than 256 kB' }
    const image = Buffer.from(pixels)
    return { id: createHash('sha256').update(image).digest('hex'), type, image }
  } catch (error) {
    if (error instanceof JobEnded) return { mistake: 'Must be a simpler image: it takes too long to decode' }
    throw error
  }
}

/** Logos of earlier releases as a document shows them, by the organisation and the id. */
const earlier = new Shared<Logo | Mistake>({
  bytes: 4 * MOST_BYTES,
  ms: 3_600_000,
  sizeOf: (logo) => ('image' in logo ? logo.image.length : 0),
})

/** May a stored logo be sent to browsers? Earlier releases also stored images of a size that they did not ask for. */
export const isServed = (image: Buffer): boolean => !('mistake' in checkHeaders(image))

/**
 * A stored logo as a document shows it, which then copies its bytes: one of an earlier release is read and written again first. Undefined for an
 * image that would be refused today: the document shows the name alone.
 * @throws busy 503 when too many images wait
 */
export async function forDocuments(owner: string, id: string, image: Buffer): Promise<Buffer | undefined> {
  const checked = checkHeaders(image)
  if ('mistake' in checked) return undefined
  if (Math.max(checked.width, checked.height) <= STORED && isCopied(checked)) return image
  const logo = await earlier.get(`${owner} ${id}`, (wanted) => readLogo(owner, image, wanted))
  return 'image' in logo ? logo.image : undefined
}

/** A PDF takes a JPEG as it is, and a PNG without transparency. */
function isCopied({ type, file }: Checked): boolean {
  const { at, plain } = DEPTH_AND_COLOURS
  return type === 'image/jpeg' || file.subarray(at, at + plain.length).equals(plain)
}
