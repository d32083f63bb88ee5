import { expect, test } from 'vitest'
import { Shared } from './shared.ts'

const newShared = (bytes = 100, ms = 60_000) => new Shared<string>({ bytes, ms, sizeOf: ({ length }) => length })

test('a value is made once for all who ask for it meanwhile, and kept', async () => {
  const shared = newShared()
  const { promise, resolve } = Promise.withResolvers<string>()
  let made = 0
  const make = () => {
    made++
    return promise
  }
  const both = [shared.get('a', make), shared.get('a', make)]
  resolve('value')
  expect([...(await Promise.all(both)), await shared.get('a', make), made]).toEqual(['value', 'value', 'value', 1])
})

test('what fails is not kept, and each who waits for it learns why', async () => {
  const shared = newShared()
  const fails = () => Promise.reject(new Error('No'))
  const both = await Promise.allSettled([shared.get('a', fails), shared.get('a', fails)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await shared.get('a', async () => 'value')).toBe('value')
})

test('one of two who leaves ends nothing; when both have left it is not wanted any more, and who comes later has it made anew', async () => {
  const shared = newShared()
  const [first, second] = [new AbortController(), new AbortController()]
  let wanted: AbortSignal | undefined
  const never = (signal: AbortSignal) => {
    wanted = signal
    return new Promise<string>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const waiting = Promise.allSettled([shared.get('a', never, first.signal), shared.get('a', never, second.signal)])
  first.abort(new Error('First'))
  await Promise.resolve()
  expect(wanted?.aborted).toBe(false)
  second.abort(new Error('Second'))
  expect(await waiting).toMatchObject([{ reason: { message: 'First' } }, { reason: { message: 'Second' } }])
  expect(wanted?.aborted).toBe(true)
  expect(await shared.get('a', async () => 'value')).toBe('value')
  await expect(shared.get('a', never, first.signal)).rejects.toThrow('First')
})

test('values are kept up to a size in all, the last used longest, and up to their time', async () => {
  const shared = newShared(10)
  let made = 0
  const make = async () => {
    made++
    return 'four'
  }
  for (const key of ['a', 'b', 'a', 'c', 'a']) await shared.get(key, make)
  expect(made).toBe(3)
  // b was used least.
  await shared.get('b', make)
  expect(made).toBe(4)
  await shared.get('large', async () => 'x'.repeat(20))
  await shared.get('large', make)
  expect(made).toBe(5)
  const short = newShared(100, 0)
  await short.get('a', make)
  await short.get('a', make)
  expect(made).toBe(7)
})
