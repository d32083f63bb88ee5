import { afterAll, beforeAll } from 'vitest'

/** Something for a whole test file, started before its first test and stopped after its last. */
export function used<T extends { stop(): Promise<void> }>(start: () => Promise<T>): T {
  let running: T | undefined
  beforeAll(async () => {
    running = await start()
  })
  afterAll(() => running?.stop())
  return new Proxy({} as T, {
    get(_target, name) {
      if (!running) throw new Error('The service runs only while tests do')
      return running[name as keyof T]
    },
  })
}
