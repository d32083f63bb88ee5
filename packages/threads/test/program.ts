import { setTimeout as sleep } from 'node:timers/promises'
import { answerJobs } from '../src/thread.ts'

/** What the thread of the tests does. */
export type Job =
  | { readonly kind: 'count' }
  | { readonly kind: 'hold'; readonly until: SharedArrayBuffer }
  | { readonly kind: 'spin' }
  | { readonly kind: 'fill' }
  | { readonly kind: 'fail' }

let answered = 0

answerJobs(async (job: Job) => {
  if (job.kind === 'hold') Atomics.wait(new Int32Array(job.until), 0, 0)
  if (job.kind === 'spin') for (;;);
  if (job.kind === 'fill') {
    const all: object[] = []
    for (;;) all.push(Array.from({ length: 1000 }, (_, number) => ({ number })))
  }
  if (job.kind === 'fail') throw new Error('As asked for')
  await sleep(0)
  return ++answered
})
