import { createHash } from 'node:crypto'
import { JobEnded, threadPool } from '@payments/threads'
import { type Checked, checkHeaders, type Mistake, UNREADABLE } from './headers.ts'

/** A logo as it is stored and served: written by this service from the pixels of what was uploaded. */
export interface Logo {
  readonly id: string
  readonly type: Checked['type']
  readonly image: Buffer
}

const MOST_BYTES = 262_144

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
