// The thread that decodes images: what strangers upload is unpacked in none but this one.
import { answerJobs } from '@payments/threads'
import type { Checked } from './headers.ts'
import { rewrite } from './pixels.ts'

/** @returns undefined for an image that cannot be decoded */
answerJobs((image: Pick<Checked, 'type' | 'file'>) => {
  try {
    return rewrite(image)
  } catch {
    return undefined
  }
})
