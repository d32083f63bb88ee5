import { type Environment, fetchSignedIn, queries } from '../api.ts'
import { renewal } from './renewal.ts'

/** The time between two reads of the same while changes do not end, ms: reads of all organisations cost more. */
const APART = 1000
const APART_FOR_ALL = 2000
const LONGEST_PAUSE = 30_000
const FIRST_PAUSE = 1000
/** The service says something every 15 seconds. A connection that broke while the computer slept says nothing, ms. */
const SILENCE = 45_000
/** The clock is compared so often: a timer does not count the time of a sleep, ms. */
const CHECK = 5000
const NOT_FOUND = 404

/**
 * Reads what is shown again whenever something happens in the organisation: one event stream for each tab, resumed where it broke off.
 * @returns what ends it
 */
export const watch = (environment: Environment): (() => void) =>
  follow(`events?environment=${environment}`, environment, APART)

/** Reads what the operators' console shows again whenever something happens in any organisation. @returns what ends it */
export const watchAll = (key: string): (() => void) => follow('changes', key, APART_FOR_ALL)

/** Follows a stream of the dashboard and reads again what is kept under a key. */
function follow(path: string, key: string, apart: number): () => void {
  const stop = new AbortController()
  const { changed, end } = renewal(queries, key, apart)
  let last = ''
  let pause = FIRST_PAUSE
  const read = async (signal: AbortSignal, heard: () => void) => {
    const reply = await fetchSignedIn(`/dashboard/api/${path}`, {
      signal,
      headers: last ? { 'last-event-id': last } : {},
    })
    // The last event is not kept any more.
    if (reply.status === NOT_FOUND) last = ''
    if (!reply.ok || !reply.body) return
    pause = FIRST_PAUSE
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader()
    let isOpen = false
    for (let rest = ''; ; ) {
      const { done, value } = await reader.read()
      if (done) return
      heard()
      const lines = (rest + value).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.startsWith('id:')) last = line.slice('id:'.length).trim()
      // The first block says where the stream begins: what was read until then may be from before, and no event will tell.
      if (!isOpen || lines.some((line) => line.startsWith('data:'))) changed()
      isOpen = true
    }
  }
  const readUntilSilent = async () => {
    const silent = new AbortController()
    let heardAt = Date.now()
    const check = setInterval(() => Date.now() - heardAt > SILENCE && silent.abort(), CHECK)
    try {
      await read(AbortSignal.any([stop.signal, silent.signal]), () => {
        heardAt = Date.now()
      })
    } finally {
      clearInterval(check)
    }
  }
  const run = async () => {
    while (!stop.signal.aborted) {
      await readUntilSilent().catch(() => undefined)
      if (stop.signal.aborted) return
      await pauseFor(pause)
      pause = Math.min(pause * 2, LONGEST_PAUSE)
      // What happened while nothing was connected.
      changed()
    }
  }
  void run()
  return () => {
    stop.abort()
    end()
  }
}

/** Ends when the time is over, or the network is there again. */
async function pauseFor(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const over = () => resolve()
  const timer = setTimeout(over, ms)
  addEventListener('online', over, { once: true })
  await promise
  clearTimeout(timer)
  removeEventListener('online', over)
}
